/**
 * Decides, before a step is claimed, whether this worker runs it or leaves it to another worker: this worker's disk may
 * have no space for it, or the file may have failed here, and another worker should confirm that.
 */
import { DiskFailed, type ScratchSpace } from '@reelkeep/media'
import { type Attempt, Postponed } from '../../../platform/jobs/handler.ts'
import { type Intervals, recoverySeconds } from '../../../platform/jobs/intervals.ts'
import { findOpenStep } from '../pipeline.store.ts'
import type { PipelineMetrics, PostponeReason } from '../pipeline-metrics.ts'
import { type Step, type StepInput, stepName } from '../steps/step.ts'

/** How often a step is left to a worker on which it has not failed: that worker may be busy for hours. */
const POSTPONEMENTS_MAX = 10

/** Space that every step may use: a directory for the socket of its relay. */
const SCRATCH_BYTES_MIN = 2 ** 20

type AdmissionDeps = {
  readonly scratch: ScratchSpace
  readonly metrics: PipelineMetrics
  readonly intervals: Pick<Intervals, 'heartbeatSeconds'>
  readonly workerId: string
}

/**
 * Reserves the step's space until disposed. Undefined if the step is not open anymore: otherwise its job would be
 * postponed again and again if no worker has space for it. @throws Postponed if another worker has to run the step.
 */
export async function admit(
  deps: AdmissionDeps,
  step: Step,
  attempt: Attempt<StepInput>,
): Promise<Disposable | undefined> {
  const { assetId, run, part = '' } = attempt.input
  const ref = { assetId, run, part, step: stepName(step), queue: step.job.queue }
  const open = await findOpenStep(attempt.db, { ...ref, workerId: deps.workerId })
  if (!open) return undefined
  if (open.isFreshElsewhere && attempt.postponements < POSTPONEMENTS_MAX) throw postponed(deps, step, 'failed_here')
  return reserveSpace(deps, step, attempt)
}

/** Reserves the step's space until disposed. @throws Postponed if this worker has too little */
export async function reserveSpace(
  deps: AdmissionDeps,
  step: Step,
  { db, input, logger }: Pick<Attempt<StepInput>, 'db' | 'input' | 'logger'>,
): Promise<Disposable> {
  const bytes = (await step.scratchBytes?.(db, input)) ?? SCRATCH_BYTES_MIN
  const space = await deps.scratch.reserve(bytes).catch((error: unknown) => {
    if (!(error instanceof DiskFailed)) throw error
    logger.error({ err: error }, 'disk of the worker failed')
  })
  if (space) return space
  logger.warn({ bytes }, 'not enough disk space for a step; leaving it to another worker')
  throw postponed(deps, step, 'disk')
}

function postponed({ metrics, intervals }: AdmissionDeps, step: Step, reason: PostponeReason): Postponed {
  metrics.countPostponed(stepName(step), reason)
  const delaySeconds = recoverySeconds(intervals)
  // Longer than the delay: otherwise this worker would claim the step again before others do.
  return new Postponed({ reason, delaySeconds, pauseSeconds: 2 * delaySeconds })
}
