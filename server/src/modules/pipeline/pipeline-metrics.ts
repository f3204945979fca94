import { freeScratchBytes } from '@reelkeep/media'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { internalFailures } from './pipeline.rules.ts'

export type PipelineMetrics = ReturnType<typeof openPipelineMetrics>

/**
 * How an attempt ended. `lost`: it no longer owns the step. `released`: another attempt will run the step.
 * `disk`: the worker's disk is full or broken.
 */
export type StepOutcome = 'done' | 'unusable' | 'failed' | 'disk' | 'lost' | 'released'

const postponeReasons = ['disk', 'failed_here'] as const

/** Why a worker leaves a step to other workers. */
export type PostponeReason = (typeof postponeReasons)[number]

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
  const postponed = new Counter({
    name: 'reelkeep_steps_postponed_total',
    help: 'Steps that this worker left to others: its disk lacks space (disk), or the file failed here (failed_here).',
    labelNames: ['step', 'reason'],
    registers: [registry],
  })
  const diskFailures = new Counter({
    name: 'reelkeep_disk_failures_total',
    help: 'Attempts that failed because the disk of this worker is full or broken.',
    labelNames: ['step'],
    registers: [registry],
  })
  new Gauge({
    name: 'reelkeep_scratch_free_bytes',
    help: 'Free space for temporary files on the disk of this worker.',
    registers: [registry],
    async collect() {
      const bytes = await freeScratchBytes().catch(() => undefined)
      if (bytes === undefined) this.reset()
      else this.set(bytes)
    },
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
    /** Exports 0 for a step to which nothing has happened yet. */
    addStep: (step: string) => {
      reclaimed.inc({ step }, 0)
      diskFailures.inc({ step }, 0)
      for (const reason of postponeReasons) postponed.inc({ step, reason }, 0)
    },
    observePlayable: (seconds: number) => playable.observe(seconds),
    observeAttempt: (step: string, outcome: StepOutcome, seconds: number) => {
      attempts.observe({ step, outcome }, seconds)
      if (outcome === 'disk') diskFailures.inc({ step })
    },
    countPostponed: (step: string, reason: PostponeReason) => postponed.inc({ step, reason }),
    countReclaimed: (step: string) => reclaimed.inc({ step }),
    countFailure: (code: string) => failures.inc({ code }),
  }
}
