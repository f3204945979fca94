/** What a step of a video's processing is: data for who promises it, and a function for who does it. */

import type { Recogniser, Sandbox, SourceObject } from '@reelkeep/media'
import type { AssetId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { defineJob, type Job } from '../../../platform/jobs/job.ts'
import type { Urgency } from '../../../platform/jobs/promise.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Asset, Failure } from '../../assets/assets.ts'
import type { Drm } from '../../content-keys/content-keys.ts'
import type { Outputs, StoredOutputs } from '../outputs.ts'
import type { UnderWay } from '../pipeline.rules.ts'

export type StepInput = {
  readonly assetId: AssetId
  readonly run: number
  /** Absent of a step that is done in one go. */
  readonly part?: string
}

/** A part of a step, as it is promised. */
export type Portion = { readonly part: string; readonly urgency?: Urgency }

/** What an attempt at a step is given. */
export type StepContext = {
  /** As it was when the attempt began. */
  readonly asset: Asset
  /** Bound to the asset's organization. */
  readonly db: OrganizationDb
  /** Which part of the step this is; empty if it is done in one go. */
  readonly part: string
  /** Which attempt this is; the first is 1. */
  readonly number: number
  /** The uploaded file, read in pieces from storage: the version that was pinned, ever. */
  readonly file: SourceObject
  readonly sandbox: Sandbox
  /** Under which the keys of protected videos are kept. */
  readonly keyRing: KeyRing
  /** Where those of DRM come from. */
  readonly drm: Drm
  /** What hears words; undefined where the operator wants none. */
  readonly recogniser: Recogniser | undefined
  /**
   * Where this attempt puts what it makes. Nobody sees it before the step is done, nor ever if
   * another attempt finishes it.
   */
  readonly outputs: Outputs
  /** What earlier steps have published, by its name in storage. */
  readonly stored: StoredOutputs
  /** Aborted when the attempt is no longer wanted: its time is up, it was cancelled, or another has taken over. */
  readonly signal: AbortSignal
  /** For whoever watches: callers see it a moment later. */
  readonly tell: (made: UnderWay) => void
  readonly logger: Logger
}

/**
 * Makes the result visible. It runs in the transaction that ends the step, and only if the attempt
 * still is the one whose step it is. What it throws undoes all of it.
 */
export type Publish = (tx: OrganizationDb, asset: Asset) => Promise<void>

export type Step = {
  readonly job: Job<StepInput>
  /** For the timeline: what is being done, and what is waited for before that. */
  readonly does: string
  readonly awaits: string
  /**
   * What it is done in, one beside the other, in the order in which they are wanted. Absent: in one
   * go. None: not at all.
   */
  readonly parts?: (tx: OrganizationDb, asset: Asset) => Promise<readonly Portion[]>
  /** The video is whole without it: if it cannot be done, everything else goes on. */
  readonly isOptional?: boolean
  readonly run: (context: StepContext) => Promise<Publish>
}

/** Done side by side; the next stage begins when all of them are done. */
export type Stage = readonly Step[]

type StepLimits = Pick<
  Job<StepInput>,
  'queue' | 'attemptsMax' | 'firstPauseSeconds' | 'attemptSecondsMax'
>

/**
 * A step of hours may be given back with every release of the workers, so the engine's limit is out
 * of reach. The step's own row counts attempts that were not given back.
 */
const TAKE_UPS_MAX = 1000

/** The job under which the engine knows a step. */
export const stepJob = (step: string, limits: StepLimits): Job<StepInput> =>
  defineJob<StepInput>({
    ...limits,
    name: `video-${step}`,
    takeUpsMax: TAKE_UPS_MAX,
    about: ({ assetId, part }) => ({ asset_id: assetId, ...(part && { part }) }),
  })

/** What is needed to promise it. */
export const placeOf = ({ job }: Pick<Step, 'job'>, part = '') => ({
  step: job.name,
  part,
  queue: job.queue,
})

export const stepName = ({ job }: Pick<Step, 'job'>): string => job.name

/** The file cannot be used, whoever tries and however often. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}

/** It did not work in one go, and may in several: these are promised in its place. */
export class ToBeDivided extends Error {
  override readonly name = 'ToBeDivided'
  readonly portions: readonly Portion[]

  constructor(portions: readonly Portion[], options: ErrorOptions) {
    super(`To be done in ${portions.length} parts`, options)
    this.portions = portions
  }
}
