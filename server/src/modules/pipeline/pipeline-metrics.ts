import { Counter, Histogram, type Registry } from 'prom-client'
import { internalFailures } from './pipeline.rules.ts'

export type PipelineMetrics = ReturnType<typeof openPipelineMetrics>

/** How an attempt ended. `lost`: it no longer owns the step. `released`: another attempt will run the step. */
export type StepOutcome = 'done' | 'unusable' | 'failed' | 'lost' | 'released'

/** Histogram buckets for step durations, from a probe to an encode that takes hours. */
const SECONDS = [0.25, 1, 4, 15, 60, 240, 900, 3600, 14_400]

/** Histogram buckets for the time to playable, from a short clip on an idle machine to a stuck queue. */
const PLAYABLE_SECONDS = [5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14_400]

export function openPipelineMetrics(registry: Registry) {
  const attempts = new Histogram({
    name: 'reelkeep_step_seconds',
    help: 'Duration of step attempts, by outcome.',
    labelNames: ['step', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  })
  const reclaimed = new Counter({
    name: 'reelkeep_steps_reclaimed_total',
    help: 'Steps reclaimed from an attempt that stopped sending heartbeats.',
    labelNames: ['step'],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'reelkeep_processing_failures_total',
    help: 'Assets whose processing failed, by error code.',
    labelNames: ['code'],
    registers: [registry],
  })
  // Start at 0: Prometheus does not see the increase of a series that starts at 1.
  for (const code of internalFailures) failures.inc({ code }, 0)
  const playable = new Histogram({
    name: 'reelkeep_time_to_playable_seconds',
    help: 'Time from the end of the upload until the beginning of the video is playable.',
    buckets: PLAYABLE_SECONDS,
    registers: [registry],
  })
  return {
    /** Exports 0 for a step that was never reclaimed. */
    addStep: (step: string) => reclaimed.inc({ step }, 0),
    observePlayable: (seconds: number) => playable.observe(seconds),
    observeAttempt: (step: string, outcome: StepOutcome, seconds: number) =>
      attempts.observe({ step, outcome }, seconds),
    countReclaimed: (step: string) => reclaimed.inc({ step }),
    countFailure: (code: string) => failures.inc({ code }),
  }
}
