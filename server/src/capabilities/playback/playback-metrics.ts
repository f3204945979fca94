import { Counter, type Registry } from 'prom-client'

export type PlaybackMetrics = ReturnType<typeof openPlaybackMetrics>

export function openPlaybackMetrics(registry: Registry) {
  const answers = new Counter({
    name: 'reelkeep_playback_answers_total',
    help: 'Answers to viewers, by what was asked for and status; what was not understood is `none`.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  return {
    count: (kind: string, status: number) => answers.inc({ kind, status: String(status) }),
  }
}
