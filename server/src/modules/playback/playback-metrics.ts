import { Counter, type Registry } from 'prom-client'
import { serverErrorStatuses } from '../../platform/observability/server-error-statuses.ts'
import { playKinds } from './playback-urls.rules.ts'

/** Label for requests whose path is not recognized. */
export const UNKNOWN_KIND = 'none'

export type PlaybackMetrics = ReturnType<typeof openPlaybackMetrics>

export function openPlaybackMetrics(registry: Registry) {
  const responses = new Counter({
    name: 'reelkeep_playback_responses_total',
    help: 'Responses to viewers, by kind of file and status; `none` if the path is not recognized.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  // Start at 0: Prometheus does not see the increase of a series that starts at 1.
  for (const kind of [...playKinds, UNKNOWN_KIND])
    for (const status of serverErrorStatuses) responses.inc({ kind, status }, 0)
  return {
    count: (kind: string, status: number) => responses.inc({ kind, status: String(status) }),
  }
}
