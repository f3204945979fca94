import { Counter, Histogram, type Registry } from 'prom-client'
import { failuresOfOurs } from './pipeline.rules.ts'

export type PipelineMetrics = ReturnType<typeof openPipelineMetrics>

/** How an attempt at a step ended; `lost`: another has taken it, or it was cancelled. */
export type StepOutcome = 'done' | 'unusable' | 'failed' | 'lost' | 'given_back'

/** From a look into a file to an encode of hours. */
const SECONDS = [0.25, 1, 4, 15, 60, 240, 900, 3600, 14_400]

/** From a short clip on an idle machine to a queue that nobody works off. */
const PLAYABLE_SECONDS = [5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14_400]

export function openPipelineMetrics(registry: Registry) {
  const attempts = new Histogram({
    name: 'reelkeep_step_seconds',
    help: 'How long attempts at the steps of a processing took, by how they ended.',
    labelNames: ['step', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  })
  const takenOver = new Counter({
    name: 'reelkeep_steps_taken_over_total',
    help: 'Steps whose attempt nobody ended, so that another began: workers die, or are cut off.',
    labelNames: ['step'],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'reelkeep_processing_failures_total',
    help: 'Assets whose processing failed, by the code that their owners read.',
    labelNames: ['code'],
    registers: [registry],
  })
  // Of a series that begins with 1, that it grew is not seen.
  for (const code of failuresOfOurs) failures.inc({ code }, 0)
  const playable = new Histogram({
    name: 'reelkeep_time_to_playable_seconds',
    help: 'Time from the arrival of a file until the beginning of its video could be played.',
    buckets: PLAYABLE_SECONDS,
    registers: [registry],
  })
  return {
    /** Shows a step that was never taken over as 0. */
    enterStep: (step: string) => takenOver.inc({ step }, 0),
    observePlayable: (seconds: number) => playable.observe(seconds),
    observeAttempt: (step: string, outcome: StepOutcome, seconds: number) =>
      attempts.observe({ step, outcome }, seconds),
    countTakenOver: (step: string) => takenOver.inc({ step }),
    countFailure: (code: string) => failures.inc({ code }),
  }
}
