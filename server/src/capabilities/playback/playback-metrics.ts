import { Counter, type Registry } from 'prom-client'
import { failureStatuses } from '../../platform/observability/failure-statuses.ts'
import { playKinds } from './play-addresses.rules.ts'

/** What was not understood. */
export const UNKNOWN_KIND = 'none'

export type PlaybackMetrics = ReturnType<typeof openPlaybackMetrics>

export function openPlaybackMetrics(registry: Registry) {
  const answers = new Counter({
    name: 'reelkeep_playback_answers_total',
    help: 'Answers to viewers, by what was asked for and status; what was not understood is `none`.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  // Of a series that begins with 1, that it grew is not seen.
  for (const kind of [...playKinds, UNKNOWN_KIND])
    for (const status of failureStatuses) answers.inc({ kind, status }, 0)
  return {
    count: (kind: string, status: number) => answers.inc({ kind, status: String(status) }),
  }
}
