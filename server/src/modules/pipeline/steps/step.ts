/** A processing step: data to enqueue it and a function to run it. */

import type { Sandbox, SourceObject, Transcriber } from '@reelkeep/media'
import type { AssetId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { Urgency } from '../../../platform/jobs/enqueue.ts'
import { defineJob, type Job } from '../../../platform/jobs/job.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Asset, Failure } from '../../assets/assets.ts'
import type { Drm } from '../../content-keys/content-keys.ts'
import type { Outputs, StoredOutputs } from '../outputs.ts'
import type { UnderWay } from '../pipeline.rules.ts'

export type StepInput = {
  readonly assetId: AssetId
  readonly run: number
  /** Absent for a step without parts. */
  readonly part?: string
}

/** A part of a step to be enqueued. */
export type Portion = { readonly part: string; readonly urgency?: Urgency }

/** Input of an attempt at a step. */
export type StepContext = {
  /** State when the attempt started. */
  readonly asset: Asset
  /** Bound to the asset's organization. */
  readonly db: OrganizationDb
  /** The part of the step; empty if it has none. */
  readonly part: string
  /** Number of the attempt, from 1. */
  readonly number: number
  /** The uploaded file, read in ranges from storage: always the pinned version. */
  readonly file: SourceObject
  readonly sandbox: Sandbox
  /** Wraps the keys of protected videos. */
  readonly keyRing: KeyRing
  /** The provider of DRM keys. */
  readonly drm: Drm
  /** Undefined if the operator has not configured one. */
  readonly transcriber: Transcriber | undefined
  /**
   * Output files of this attempt. They become visible when the step is done, and never if another attempt finishes
   * it.
   */
  readonly outputs: Outputs
  /** Published files of earlier steps, by storage key. */
  readonly stored: StoredOutputs
  /** Aborts when the attempt is no longer needed: its time is up, it was cancelled, or the step was reclaimed. */
  readonly signal: AbortSignal
  /** Reports progress; callers see it a moment later. */
  readonly tell: (made: UnderWay) => void
  readonly logger: Logger
}

/**
 * Makes the result visible. It runs in the transaction that ends the step, and only if the attempt still owns the
 * step. An error rolls everything back.
 */
export type Publish = (tx: OrganizationDb, asset: Asset) => Promise<void>

export type Step = {
  readonly job: Job<StepInput>
  /** For the timeline: label while it runs, and while it waits. */
  readonly does: string
  readonly awaits: string
  /**
   * Parts that run concurrently, in order of priority. Absent: the step has no parts. Empty list: the step is
   * skipped.
   */
  readonly parts?: (tx: OrganizationDb, asset: Asset) => Promise<readonly Portion[]>
  /** The video is complete without it: if it fails, everything else continues. */
  readonly isOptional?: boolean
  readonly run: (context: StepContext) => Promise<Publish>
}

/** Steps that run concurrently; the next stage starts when all are done. */
export type Stage = readonly Step[]

type StepLimits = Pick<
  Job<StepInput>,
  'queue' | 'attemptsMax' | 'firstPauseSeconds' | 'attemptSecondsMax'
>

/**
 * A step of hours may be released with every deployment of the workers, so the engine's limit is out of reach. The
 * step's own row counts the attempts that were not released.
 */
const TAKE_UPS_MAX = 1000

/** The job of a step. */
export const stepJob = (step: string, limits: StepLimits): Job<StepInput> =>
  defineJob<StepInput>({
    ...limits,
    name: `video-${step}`,
    takeUpsMax: TAKE_UPS_MAX,
    about: ({ assetId, part }) => ({ asset_id: assetId, ...(part && { part }) }),
  })

/** The step, its part and its queue, for enqueueing. */
export const placeOf = ({ job }: Pick<Step, 'job'>, part = '') => ({
  step: job.name,
  part,
  queue: job.queue,
})

export const stepName = ({ job }: Pick<Step, 'job'>): string => job.name

/** The file is unusable; a retry would not help. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}

/** The step failed as a whole but may succeed in parts, which are enqueued instead. */
export class ToBeDivided extends Error {
  override readonly name = 'ToBeDivided'
  readonly portions: readonly Portion[]

  constructor(portions: readonly Portion[], options: ErrorOptions) {
    super(`Split into ${portions.length} parts`, options)
    this.portions = portions
  }
}
