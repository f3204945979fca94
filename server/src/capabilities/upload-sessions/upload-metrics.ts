import { Counter, type Registry } from 'prom-client'
import { gaugeSeconds } from '../../platform/observability/metrics.ts'
import type { Status } from './upload-sessions.rules.ts'

/** Who said "look" when the end of an upload was found. */
export type NoticedBy = 'notification' | 'sweep' | 'hint'

export type UploadMetrics = ReturnType<typeof openUploadMetrics>

export function openUploadMetrics(registry: Registry) {
  // Uploads that only the sweep notices mean that storage's notifications do not arrive.
  const ended = new Counter({
    name: 'reelkeep_upload_sessions_ended_total',
    help: 'Upload sessions completed, expired or failed, by what noticed it.',
    labelNames: ['status', 'noticed_by'],
    registers: [registry],
  })
  const looks = new Counter({
    name: 'reelkeep_upload_looks_total',
    help: 'Sessions that the sweep has looked at, and looks that failed because storage did not answer or for another reason.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const events = new Counter({
    name: 'reelkeep_storage_events_total',
    help: "Messages of storage's, taken, refused for their form or their secret, or failed and sent again.",
    labelNames: ['outcome'],
    registers: [registry],
  })
  return {
    countEnded: (status: Status, noticedBy: NoticedBy) =>
      ended.inc({ status, noticed_by: noticedBy }),
    countLook: (outcome: 'fine' | 'failed' | 'storage_away') => looks.inc({ outcome }),
    countEvents: (outcome: 'taken' | 'refused' | 'failed') => events.inc({ outcome }),
  }
}

/** Grows when no worker sweeps. */
export function gaugeOverdue(registry: Registry, overdueSeconds: () => Promise<number>): void {
  gaugeSeconds(registry, {
    name: 'reelkeep_upload_sessions_overdue_seconds',
    help: 'For how long the upload session that is longest due has not been looked at.',
    ask: overdueSeconds,
  })
}
