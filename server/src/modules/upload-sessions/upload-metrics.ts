import { Counter, Histogram, type Registry } from 'prom-client'
import { gaugeSeconds } from '../../platform/observability/metrics.ts'
import type { Status } from './upload-sessions.rules.ts'

/** What triggered the check that detected the end of an upload. */
export type DetectedBy = 'notification' | 'sweep' | 'client'

export type UploadMetrics = ReturnType<typeof openUploadMetrics>

export function openUploadMetrics(registry: Registry) {
  // Many uploads detected by the sweep mean that storage's notifications do not arrive.
  const ended = new Counter({
    name: 'reelkeep_upload_sessions_ended_total',
    help: 'Upload sessions that completed, expired or failed, by what triggered the check.',
    labelNames: ['status', 'detected_by'],
    registers: [registry],
  })
  const detectedSeconds = new Histogram({
    name: 'reelkeep_upload_detected_seconds',
    help: 'Seconds from the time when storage had the file, by its clock, until the session was completed. Excludes multipart uploads.',
    labelNames: ['detected_by'],
    buckets: [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 300, 900, 3600],
    registers: [registry],
  })
  const checks = new Counter({
    name: 'reelkeep_upload_checks_total',
    help: 'Upload sessions checked by the sweep, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const events = new Counter({
    name: 'reelkeep_storage_events_total',
    help: 'Notifications from storage: accepted, refused (wrong secret or format), or failed (storage retries).',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Start at 0: Prometheus does not see the increase of a series that starts at 1.
  for (const outcome of ['accepted', 'refused', 'failed']) events.inc({ outcome }, 0)
  for (const outcome of ['ok', 'failed', 'storage_unavailable']) checks.inc({ outcome }, 0)
  for (const detected_by of ['notification', 'sweep', 'client']) {
    detectedSeconds.zero({ detected_by })
    ended.inc({ status: 'Completed', detected_by }, 0)
  }
  return {
    countEnded: (status: Status, detectedBy: DetectedBy) => ended.inc({ status, detected_by: detectedBy }),
    /** Counts a negative delay as 0, because the clocks of storage and the process differ a little. */
    observeDetected: (detectedBy: DetectedBy, seconds: number) =>
      detectedSeconds.observe({ detected_by: detectedBy }, Math.max(0, seconds)),
    countCheck: (outcome: 'ok' | 'failed' | 'storage_unavailable') => checks.inc({ outcome }),
    countNotifications: (outcome: 'accepted' | 'refused' | 'failed') => events.inc({ outcome }),
  }
}

/** Exports the delay of the most overdue session, which grows if no worker runs the sweep. */
export function gaugeOverdue(registry: Registry, overdueSeconds: () => Promise<number>): void {
  gaugeSeconds(registry, {
    name: 'reelkeep_upload_sessions_overdue_seconds',
    help: 'Seconds since the most overdue upload session was due for a check.',
    query: overdueSeconds,
  })
}
