/** A processing step: data to enqueue it and a function to run it. */

import {
  isTooHeavy,
  PartInterrupted,
  ProbeInterrupted,
  type Sandbox,
  type SourceObject,
  type Transcriber,
} from '@reelkeep/media'
import type { AssetId } from '../../../kernel/ids.ts'
import type { QueueName } from '../../../kernel/queues.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { Urgency } from '../../../platform/jobs/enqueue.ts'
import type { Job, RetryPolicy } from '../../../platform/jobs/job.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Asset, Failure } from '../../assets/assets.ts'
import type { Drm } from '../../content-keys/content-keys.ts'
import type { Outputs, StoredOutputs } from '../outputs.ts'
import type { StepProgress } from '../pipeline.rules.ts'
import { type StepRetryPolicy, stepLimits } from './retry-policies.ts'

export type StepInput = {
  readonly assetId: AssetId
  readonly run: number
  /** Name of the part; absent for a step without parts. */
  readonly part?: string
}

/** A part of a step to be enqueued. */
export type StepPart = { readonly part: string; readonly urgency?: Urgency }

/** Input of an attempt at a step. */
export type StepContext = {
  /** The asset as it was when the attempt started. */
  readonly asset: Asset
  /** Database handle of the asset's organization. */
  readonly db: OrganizationDb
  /** The part of the step; empty if it has none. */
  readonly part: string
  /** Number of the attempt, from 1. */
  readonly number: number
  /** The file also failed on another worker, so this worker is not the cause. */
  readonly hasFailedElsewhere: boolean
  /** There is no further attempt if this one fails. */
  readonly isLast: boolean
  /** The uploaded file, read in ranges from storage: always the pinned version. */
  readonly file: SourceObject
  readonly sandbox: Sandbox
  /** The operator's keys, which wrap the master keys of protected videos. */
  readonly keyRing: KeyRing
  /** The provider of DRM keys. */
  readonly drm: Drm
  /** Undefined if the operator has not configured a transcriber. */
  readonly transcriber: Transcriber | undefined
  /**
   * Output files of this attempt. They become visible when the step is done, and never if another attempt finishes it.
   */
  readonly outputs: Outputs
  /** The step has been done, and its files are stored again because storage has damaged them. */
  readonly isRepair?: boolean
  /** Published files of earlier steps, by storage key. */
  readonly stored: StoredOutputs
  /** Aborts when the attempt is no longer needed: its time is up, it was cancelled, or the step was reclaimed. */
  readonly signal: AbortSignal
  /** Reports the progress, which clients see shortly afterwards. */
  readonly reportProgress: (progress: StepProgress) => void
  readonly logger: Logger
}

/**
 * Makes the result visible. It runs in the transaction that ends the step, and only if the attempt still owns the
 * step. An error rolls everything back.
 */
export type Publish = (tx: OrganizationDb, asset: Asset) => Promise<void>

type StepJob = Job<StepInput> & { readonly retry: StepRetryPolicy }

export type Step = {
  readonly job: StepJob
  /** Timeline text while the step runs. */
  readonly runningLabel: string
  readonly waitingLabel: string
  /**
   * Parts that run concurrently, in order of priority. Absent: the step has no parts. Empty list: the step is skipped.
   */
  readonly parts?: (tx: OrganizationDb, asset: Asset) => Promise<readonly StepPart[]>
  /** The video is complete without this step. If the step fails, processing continues. */
  readonly isOptional?: boolean
  /** The result is published again after a repair, because rows describe the content of the files. */
  readonly isRepublished?: boolean
  /** Maximum size of the temporary files of an attempt. Absent: the step writes none. */
  readonly scratchBytes?: (db: OrganizationDb, input: StepInput) => Promise<number>
  readonly run: (context: StepContext) => Promise<Publish>
}

/** Steps that run concurrently; the next stage starts when all are done. */
export type Stage = readonly Step[]
export const stepJob = (step: string, queue: QueueName, retry: RetryPolicy): StepJob => ({
  ...{ name: `video-${step}`, queue, retry: { ...retry, ...stepLimits } },
  about: ({ assetId, part }) => ({ asset_id: assetId, ...(part && { part }) }),
})

/** The step, its part and its queue, for enqueueing. */
export const stepRef = ({ job }: Pick<Step, 'job'>, part = '') => ({
  step: job.name,
  part,
  queue: job.queue,
})

export const stepName = ({ job }: Pick<Step, 'job'>): string => job.name

/** Whether the file may be the cause of the error. It is blamed only after it failed on two workers. */
export function isFileSuspected(error: unknown): boolean {
  if (error instanceof ProbeInterrupted) return error.reason === 'too-slow'
  return isTooHeavy(error) && !(error instanceof PartInterrupted && error.reason === 'worker-memory')
}

/** The file is unusable; a retry would not help. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}

/** Thrown by a step that failed as a whole but may succeed in parts, which are enqueued instead. */
export class SplitStep extends Error {
  override readonly name = 'SplitStep'
  readonly parts: readonly StepPart[]

  constructor(parts: readonly StepPart[], options: ErrorOptions) {
    super(`Split into ${parts.length} parts`, options)
    this.parts = parts
  }
}
