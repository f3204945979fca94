import { Counter, Histogram, type Registry } from 'prom-client'
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
  const noticed = new Histogram({
    name: 'reelkeep_upload_noticed_seconds',
    help: 'Time from the moment when storage had an uploaded file, by its clock, until its session was completed. Not of files in parts.',
    labelNames: ['noticed_by'],
    buckets: [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 300, 900, 3600],
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
  // Of a series that begins with 1, that it grew is not seen.
  for (const outcome of ['taken', 'refused', 'failed']) events.inc({ outcome }, 0)
  for (const outcome of ['fine', 'failed', 'storage_away']) looks.inc({ outcome }, 0)
  for (const noticed_by of ['notification', 'sweep', 'hint']) {
    noticed.zero({ noticed_by })
    ended.inc({ status: 'Completed', noticed_by }, 0)
  }
  return {
    countEnded: (status: Status, noticedBy: NoticedBy) =>
      ended.inc({ status, noticed_by: noticedBy }),
    /** Clocks differ a little. */
    observeNoticed: (noticedBy: NoticedBy, seconds: number) =>
      noticed.observe({ noticed_by: noticedBy }, Math.max(0, seconds)),
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
