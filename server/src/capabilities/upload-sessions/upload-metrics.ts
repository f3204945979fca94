import { Counter, Gauge, type Registry } from 'prom-client'
import type { Status } from './upload-sessions.rules.ts'

/** Who said "look" when the end of an upload was found. */
export type NoticedBy = 'notification' | 'sweep' | 'hint'

export type CountEnded = (status: Status, noticedBy: NoticedBy) => void

/** Uploads that only the sweep notices mean that storage's notifications do not arrive. */
export function countEndedIn(registry: Registry): CountEnded {
  const ended = new Counter({
    name: 'reelkeep_upload_sessions_ended_total',
    help: 'Upload sessions completed, expired or failed, by what noticed it.',
    labelNames: ['status', 'noticed_by'],
    registers: [registry],
  })
  return (status, noticedBy) => ended.inc({ status, noticed_by: noticedBy })
}

/** Grows when no worker sweeps, or storage does not answer those that do. */
export function gaugeOverdue(registry: Registry, overdueSeconds: () => Promise<number>): void {
  new Gauge({
    name: 'reelkeep_upload_sessions_overdue_seconds',
    help: 'For how long the upload session that is longest due has not been looked at.',
    registers: [registry],
    async collect() {
      // Metrics are still wanted while Postgres is away; only this one is then missing.
      const seconds = await overdueSeconds().catch(() => undefined)
      if (seconds === undefined) this.reset()
      else this.set(seconds)
    },
  })
}
