/**
 * One attempt at a step: claims the step, runs it with heartbeats, and publishes the result.
 *
 * Any of this may run twice or stop at any point. The fence drawn by the claim makes that safe: an attempt
 * that was presumed dead and resumes finds at its next heartbeat, or at the latest when it publishes, that the step
 * belongs to another attempt. Files it has stored since are under a prefix that nothing refers to.
 */
import { randomBytes } from 'node:crypto'
import { isDiskError, type Sandbox, type ScratchSpace, type SourceObject, type Transcriber } from '@reelkeep/media'
import { retryWhile } from '../../kernel/retry.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isTemporary } from '../../platform/db/errors/overload.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { type Attempt, ClaimFailed, Postponed } from '../../platform/jobs/handler.ts'
import type { Intervals } from '../../platform/jobs/intervals.ts'
import { addSpanAttributes, untraced } from '../../platform/observability/tracing.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import {
  type Asset,
  type Failure,
  lockAssetQuery,
  recordTimeline,
  type Source,
  sourceOf,
  timeToPlayable,
} from '../assets/assets.ts'
import type { Drm } from '../content-keys/content-keys.ts'
import { recordPublished, type StoredFile } from '../published-files/published-files.ts'
import { EncoderMismatch } from '../renditions/renditions.ts'
import { admit } from './admission/admission.ts'
import { startHeartbeats } from './heartbeat.ts'
import { openTransferCounter } from './media-files.ts'
import { type AttemptOutputs, attemptPrefix, openOutputs, openStored } from './outputs.ts'
import * as rules from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import type { PipelineMetrics, StepOutcome } from './pipeline-metrics.ts'
import { endStage, enqueueParts, failStep, startProcessing } from './progress.ts'
import {
  isFileSuspected,
  type Publish,
  SplitStep,
  type Stage,
  type Step,
  type StepContext,
  type StepInput,
  stepName,
  UnusableFile,
} from './steps/step.ts'

/** Dependencies of attempts. */
export type PipelineDeps = {
  /** Bucket of the source files; `media` is the bucket of the results. */
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  readonly sandbox: Sandbox
  readonly scratch: ScratchSpace
  readonly workerId: string
  readonly keyRing: KeyRing
  readonly drm: Drm
  readonly transcriber: Transcriber | undefined
  /** Bucket with copies of the results; undefined if there is no backup. */
  readonly copies: MediaBucket | undefined
  readonly metrics: PipelineMetrics
  /** Stages in processing order. */
  readonly stages: readonly Stage[]
  readonly intervals: Pick<Intervals, 'heartbeatSeconds'>
}

type ClaimedStep = {
  readonly asset: Asset
  readonly source: Source | undefined
  readonly claim: rules.Claim
}
type ClaimedAttempt = ClaimedStep & {
  readonly deps: PipelineDeps
  readonly step: Step
  readonly attempt: Attempt<StepInput>
}

export async function attemptStep(deps: PipelineDeps, step: Step, attempt: Attempt<StepInput>): Promise<void> {
  const { db, input } = attempt
  // A failed claim does not count as an attempt. Otherwise, after the last attempt, the step would wait without a job,
  // and nothing else would enqueue one.
  const notClaimed = (error: unknown): never => {
    throw error instanceof Postponed ? error : new ClaimFailed(error)
  }
  using space = await admit(deps, step, attempt).catch(notClaimed)
  if (!space) return
  const claimedStep = await claimStep(db, step, input).catch(notClaimed)
  if (!claimedStep) return
  const claimed = { ...claimedStep, deps, step, attempt }
  const { claim } = claimedStep
  const { maxCrashes } = step.job.retry
  if (claim.isReclaimed) deps.metrics.countReclaimed(stepName(step))
  if (claim.claimCount > maxCrashes) {
    return fail(claimed, rules.stoppedWorkers(step.runningLabel, maxCrashes))
  }
  await runClaimed(claimed)
}

/** Runs the step with heartbeats, and publishes the result or handles the failure. */
async function runClaimed(claimed: ClaimedAttempt): Promise<void> {
  const { deps, step, attempt, claim } = claimed
  const { db, logger, shuttingDown } = attempt
  const everySeconds = deps.intervals.heartbeatSeconds
  // Heartbeats are not traced: hours of them would fill the trace.
  await using heartbeats = untraced(() => startHeartbeats({ db, claim, logger, everySeconds }))
  const { lost, reportProgress } = heartbeats
  const transfers = openTransferCounter()
  const startedAt = performance.now()
  const observe = (outcome: StepOutcome) => {
    const seconds = (performance.now() - startedAt) / 1000
    deps.metrics.observeAttempt(stepName(step), outcome, seconds)
    addSpanAttributes({ outcome, ...transfers.attributes() })
    logger.info({ outcome, seconds }, 'step attempt ended')
  }
  try {
    const context = contextOf(claimed, lost)
    const publish = await step.run({ ...context, ...transfers.count(context), reportProgress })
    const files = await untraced(() => context.outputs.verified())
    const finished = await finishWhenPossible(claimed, lost, { prefix: context.outputs.prefix, files, publish })
    observe(finished ? 'done' : 'lost')
    const playableSeconds = finished?.playableSeconds
    // The time to playable is measured only for the first run: after a retry, it depends on when the retry was
    // requested.
    if (playableSeconds !== undefined && attempt.input.run === 1) {
      deps.metrics.observePlayable(playableSeconds)
    }
  } catch (error) {
    const outcome = outcomeOf(error, lost, shuttingDown)
    observe(outcome)
    await handleFailure(claimed, outcome, error)
  }
}

function outcomeOf(error: unknown, lost: AbortSignal, shuttingDown: AbortSignal): StepOutcome {
  if (lost.aborted) return 'lost'
  if (shuttingDown.aborted || isSuspended(error)) return 'released'
  if (error instanceof UnusableFile) return 'unusable'
  return isDiskError(error) ? 'disk' : 'failed'
}

export const newNonce = () => randomBytes(8).toString('hex')

/** Claims the step. Undefined if it is done, cancelled, deleted, or belongs to another run. */
async function claimStep(
  db: OrganizationDb,
  step: Step,
  { assetId, run, part = '' }: StepInput,
): Promise<ClaimedStep | undefined> {
  const { attemptTimeoutSeconds, timeoutGraceSeconds } = step.job.retry
  const timeoutSeconds = attemptTimeoutSeconds + timeoutGraceSeconds
  return db.transaction(async (tx) => {
    const [[asset], [claim], [source]] = await tx.run(
      lockAssetQuery({ id: assetId }),
      store.claimStep({ assetId, step: stepName(step), part, run, timeoutSeconds, nonce: newNonce() }),
      sourceOf({ id: assetId }),
    )
    if (!asset || !claim) return undefined
    if (claim.isReclaimed) await recordTimeline(tx, asset, rules.reclaimed(step.runningLabel))
    if (asset.status !== 'Queued') return { asset, source, claim }
    return { asset: await startProcessing(tx, asset), source, claim }
  })
}

/** An attempt at a step, or the repair of its files. */
type ContextOptions = Pick<ClaimedAttempt, 'deps' | 'asset' | 'source'> & {
  readonly attempt: Attempt<object>
  readonly claim: Pick<rules.Claim, 'step' | 'part' | 'token' | 'nonce' | 'failedOn'>
}

export function contextOf(
  { deps, attempt, asset, source, claim }: ContextOptions,
  lost: AbortSignal,
): Omit<StepContext, 'reportProgress'> & { readonly outputs: AttemptOutputs } {
  if (!source) throw new Error(`Asset ${asset.id} has no source file`)
  const { uploads, media, sandbox, keyRing, drm, transcriber } = deps
  const { db, number, isLast, logger } = attempt
  const signal = AbortSignal.any([attempt.signal, lost])
  return {
    ...{ asset, db, part: claim.part, number, isLast, logger, signal },
    hasFailedElsewhere: claim.failedOn.some((worker) => worker !== deps.workerId),
    ...{ sandbox, keyRing, drm, transcriber },
    file: fileOf(uploads, source),
    outputs: openOutputs(media, attemptPrefix(db, asset.id, claim), signal),
    stored: openStored(media, signal),
  }
}

const fileOf = (uploads: UploadsBucket, source: Source): SourceObject => ({
  sizeBytes: source.bytes,
  read: (range, signal) => uploads.read(source, range, signal),
})

type Finished = {
  /** Seconds from the upload until the video became playable; set for the step that made it playable. */
  readonly playableSeconds: number | undefined
}

type StepResult = {
  readonly prefix: string
  /** The files that the attempt stored, which storage has. */
  readonly files: readonly StoredFile[]
  readonly publish: Publish
}

/**
 * How long an attempt tries to publish its result while the database is unavailable or overloaded. The fence makes that
 * safe, however late; without it, hours of encoding would be repeated.
 */
const FINISH_SECONDS_MAX = 1800

async function finishWhenPossible(
  claimed: ClaimedAttempt,
  lost: AbortSignal,
  result: StepResult,
): Promise<Finished | undefined> {
  const { logger, signal } = claimed.attempt
  let failures = 0
  const mayRetry = (err: unknown) => {
    if (lost.aborted || signal.aborted || !isTemporary(err)) return false
    if (failures++ === 0) logger.warn({ err }, 'failed to publish the result of a step; retrying')
    return true
  }
  return retryWhile(mayRetry, FINISH_SECONDS_MAX, () => finish(claimed, { ...result, isRepeated: failures > 0 }))
}

/**
 * Publishes the result and enqueues the next steps in one transaction. Undefined if another attempt owns the step:
 * then nothing is published.
 */
async function finish(
  { deps: { stages }, step, attempt, claim }: ClaimedAttempt,
  { prefix, files, publish, isRepeated }: StepResult & { readonly isRepeated: boolean },
): Promise<Finished | undefined> {
  const { db, input, logger } = attempt
  const { assetId, run } = input
  return db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(lockAssetQuery({ id: assetId }), store.finishStep(claim))
    if (!asset || !finished) {
      // The commit succeeded, but its response was lost.
      if (isRepeated && (await store.hasFinished(tx, claim))) return { playableSeconds: undefined }
      logger.warn('step was claimed by another attempt; result discarded')
      return undefined
    }
    await publish(tx, asset)
    await recordPublished(tx, assetId, { prefix, step: claim.step, part: claim.part, files })
    if (!finished.isOtherOpen) await endStage(tx, asset, { stages, step, run })
    // Steps run concurrently; under the lock, exactly one of them sees the video become playable.
    const wasPlayable = asset.playableAt !== null
    return { playableSeconds: wasPlayable ? undefined : await timeToPlayable(tx, assetId) }
  })
}

/** Records how the attempt ended. Throws if the job engine must run another attempt or mark the job as failed. */
async function handleFailure(claimed: ClaimedAttempt, outcome: StepOutcome, error: unknown): Promise<void> {
  const { step, attempt, claim } = claimed
  if (outcome === 'lost') {
    attempt.logger.info('step was claimed by another attempt or cancelled')
    return
  }
  // The organization is suspended: nothing can be written, and the attempt does not count as failed.
  if (isSuspended(error)) throw error
  if (error instanceof UnusableFile) return fail(claimed, error.failure, error)
  if (error instanceof SplitStep) return split(claimed, error)
  if (outcome === 'released') await store.releaseStep(attempt.db, claim)
  else if (attempt.isLast) await fail(claimed, rules.processingFailed(step.runningLabel), error)
  else await releaseForRetry(claimed, error)
  throw error
}

async function releaseForRetry({ deps, step, attempt, claim }: ClaimedAttempt, error: unknown): Promise<void> {
  const { db, number, retryDelaySeconds } = attempt
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: claim.assetId }))
    const failedOn = isFileSuspected(error) ? deps.workerId : null
    if (!asset || !(await store.releaseStep(tx, claim, failedOn))) return
    await recordTimeline(tx, asset, rules.attemptFailed(step.runningLabel, number, Math.round(retryDelaySeconds)))
  })
}

/** Replaces a step that failed as a whole by its parts, which are enqueued. */
async function split({ step, attempt, claim }: ClaimedAttempt, { parts, cause }: SplitStep): Promise<void> {
  const { db, input, logger } = attempt
  logger.warn({ err: cause, parts }, 'step part failed; splitting it')
  await db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(lockAssetQuery({ id: claim.assetId }), store.finishStep(claim))
    if (!asset || !finished) return
    await enqueueParts(tx, asset.id, { step, run: input.run, parts })
    await recordTimeline(tx, asset, rules.wasSplit(step.runningLabel))
  })
}

/** Fails the step, and the asset unless the step is optional. Does nothing if another attempt owns the step. */
async function fail({ deps, step, attempt, claim }: ClaimedAttempt, failure: Failure, error?: unknown): Promise<void> {
  const { metrics, stages } = deps
  const { db, input } = attempt
  const hasFailed = await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: claim.assetId }))
    if (!asset || !(await store.lockOwnedStep(tx, claim))) return false
    const failed = { stages, step, run: input.run, part: claim.part, failure }
    const isFatal = await failStep(tx, asset, failed)
    // The remaining parts would not match the encoded ones, so retrying them is pointless.
    if (error instanceof EncoderMismatch) await store.abandonSteps(tx, asset.id)
    return isFatal
  })
  if (hasFailed) metrics.countFailure(failure.code)
}
