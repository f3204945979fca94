import { Counter, Histogram, type Registry } from 'prom-client'

export type PipelineMetrics = ReturnType<typeof openPipelineMetrics>

/** How an attempt at a step ended; `lost`: another has taken it, or it was cancelled. */
export type StepOutcome = 'done' | 'unusable' | 'failed' | 'lost' | 'given_back'

/** From a look into a file to an encode of hours. */
const SECONDS = [0.25, 1, 4, 15, 60, 240, 900, 3600, 14_400]

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
  return {
    observeAttempt: (step: string, outcome: StepOutcome, seconds: number) =>
      attempts.observe({ step, outcome }, seconds),
    countTakenOver: (step: string) => takenOver.inc({ step }),
    countFailure: (code: string) => failures.inc({ code }),
  }
}
