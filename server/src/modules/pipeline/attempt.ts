/**
 * One attempt at a step: claims the step, runs it with heartbeats, and publishes the result.
 *
 * Any of this may run twice or stop at any point. The fence number drawn by the claim makes that safe: an attempt
 * that was presumed dead and resumes finds at its next heartbeat, or at the latest when it publishes, that the step
 * belongs to another attempt. Files it has stored since are under a prefix that nothing refers to.
 */
import type { Sandbox, SourceObject, Transcriber } from '@reelkeep/media'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { type Attempt, NotBegun } from '../../platform/jobs/handler.ts'
import type { Intervals } from '../../platform/jobs/intervals.ts'
import { pauseSecondsAfter } from '../../platform/jobs/job.ts'
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
import { EncoderMismatch } from '../renditions/renditions.ts'
import { keepStep } from './heartbeat.ts'
import { openPieces } from './media-files.ts'
import { attemptPrefix, openOutputs, openStored } from './outputs.ts'
import * as rules from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import type { PipelineMetrics, StepOutcome } from './pipeline-metrics.ts'
import { begin, type Course, enterParts, failStep, goOn } from './progress.ts'
import {
  type Publish,
  type Stage,
  type Step,
  type StepInput,
  stepName,
  ToBeDivided,
  UnusableFile,
} from './steps/step.ts'

/** Dependencies of attempts. */
export type PipelineDeps = {
  /** Source files, and where the results are stored. */
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  readonly sandbox: Sandbox
  readonly keyRing: KeyRing
  readonly drm: Drm
  readonly transcriber: Transcriber | undefined
  readonly metrics: PipelineMetrics
  /** In processing order. */
  readonly stages: readonly Stage[]
  readonly intervals: Pick<Intervals, 'heartbeatSeconds'>
}

type Taken = {
  readonly asset: Asset
  readonly source: Source | undefined
  readonly claim: rules.Claim
}

export async function attemptStep(
  bench: PipelineDeps,
  step: Step,
  attempt: Attempt<StepInput>,
): Promise<void> {
  const { db, input } = attempt
  // Even the last attempt must not leave the step waiting without a job: nothing else would enqueue one.
  const taken = await take(db, step, input).catch((error: unknown) => {
    throw new NotBegun(error)
  })
  if (!taken) return
  if (taken.claim.isTakenOver) bench.metrics.countTakenOver(stepName(step))
  if (taken.claim.takes > rules.TAKES_MAX) {
    return stop(bench, step, attempt, taken, { failure: rules.stoppedWorkers(step.does) })
  }
  const heartbeat = { logger: attempt.logger, everySeconds: bench.intervals.heartbeatSeconds }
  // Untraced: hours of heartbeats would fill the trace.
  await using kept = untraced(() => keepStep(db, taken.asset, taken.claim, heartbeat))
  const { lost, tell } = kept
  const pieces = openPieces()
  const began = performance.now()
  const observe = (outcome: StepOutcome) => {
    const seconds = (performance.now() - began) / 1000
    bench.metrics.observeAttempt(stepName(step), outcome, seconds)
    addSpanAttributes({ outcome, ...pieces.attributes() })
    attempt.logger.info({ outcome, seconds }, 'step attempt ended')
  }
  try {
    const publish = await run(bench, step, taken, { ...attempt, lost, tell, pieces })
    const finished = await finish(bench, step, attempt, taken, publish)
    observe(finished ? 'done' : 'lost')
    const playableSeconds = finished?.playableSeconds
    // Only for the first run: after a retry, the time since the upload depends on when the retry was requested.
    if (playableSeconds !== undefined && attempt.input.run === 1) {
      bench.metrics.observePlayable(playableSeconds)
    }
  } catch (error) {
    const outcome = outcomeOf(error, lost, attempt.leaving)
    observe(outcome)
    await follow(bench, step, attempt, taken, { outcome, error })
  }
}

function outcomeOf(error: unknown, lost: AbortSignal, leaving: AbortSignal): StepOutcome {
  if (lost.aborted) return 'lost'
  if (leaving.aborted || isSuspended(error)) return 'given_back'
  return error instanceof UnusableFile ? 'unusable' : 'failed'
}

/**
 * Claims the step. Undefined if there is nothing left to do: the step is done, cancelled, deleted, or belongs to
 * another run.
 */
async function take(
  db: OrganizationDb,
  step: Step,
  { assetId, run, part = '' }: StepInput,
): Promise<Taken | undefined> {
  const secondsMax = step.job.attemptSecondsMax + rules.GRACE_SECONDS
  return db.transaction(async (tx) => {
    const [[asset], [claim], [source]] = await tx.run(
      lockAssetQuery({ id: assetId }),
      store.takeStep({ assetId, step: stepName(step), part, run, secondsMax }),
      sourceOf({ id: assetId }),
    )
    if (!asset || !claim) return undefined
    if (claim.isTakenOver) await recordTimeline(tx, asset, rules.takenOver(step.does))
    if (asset.status !== 'Queued') return { asset, source, claim }
    return { asset: await begin(tx, asset), source, claim }
  })
}

type Signs = Pick<ReturnType<typeof keepStep>, 'lost' | 'tell'> & {
  readonly pieces: ReturnType<typeof openPieces>
}

async function run(
  { uploads, media, sandbox, keyRing, drm, transcriber }: PipelineDeps,
  step: Step,
  { asset, source, claim }: Taken,
  { db, number, logger, signal, lost, tell, pieces }: Attempt<StepInput> & Signs,
): Promise<Publish> {
  if (!source) throw new Error(`Asset ${asset.id} has no source file`)
  const wanted = AbortSignal.any([signal, lost])
  const prefix = attemptPrefix(db, asset.id, claim)
  return step.run({
    asset,
    db,
    part: claim.part,
    number,
    ...pieces.over({
      file: fileOf(uploads, source),
      outputs: openOutputs(media, prefix, wanted),
      stored: openStored(media, wanted),
    }),
    sandbox,
    keyRing,
    drm,
    transcriber,
    signal: wanted,
    tell,
    logger,
  })
}

const fileOf = (uploads: UploadsBucket, source: Source): SourceObject => ({
  sizeBytes: source.bytes,
  read: (range, signal) => uploads.read(source, range, signal),
})

type Finished = {
  /** Seconds from the upload until the video became playable; set for the step that made it playable. */
  readonly playableSeconds: number | undefined
}

/**
 * Publishes the result and enqueues the next steps in one transaction. Undefined if another attempt owns the step:
 * then nothing is published.
 */
async function finish(
  { stages }: PipelineDeps,
  step: Step,
  { db, input, logger }: Attempt<StepInput>,
  { claim }: Taken,
  publish: Publish,
): Promise<Finished | undefined> {
  const { assetId, run } = input
  return db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(
      lockAssetQuery({ id: assetId }),
      store.finishStep({ assetId, ...claim }),
    )
    if (!asset || !finished) {
      logger.warn('step was claimed by another attempt; result discarded')
      return undefined
    }
    await publish(tx, asset)
    if (!finished.isOtherOpen) await goOn(tx, asset, { stages, step, run })
    // Steps run concurrently; under the lock, exactly one of them sees the video become playable.
    const wasPlayable = asset.playableAt !== null
    return { playableSeconds: wasPlayable ? undefined : await timeToPlayable(tx, assetId) }
  })
}

type Ended = { readonly outcome: StepOutcome; readonly error: unknown }

/** Records how the attempt ended. Throws if the job engine must run another attempt or mark the job as failed. */
async function follow(
  bench: PipelineDeps,
  step: Step,
  attempt: Attempt<StepInput>,
  taken: Taken,
  { outcome, error }: Ended,
): Promise<void> {
  const { db, isLast, logger } = attempt
  if (outcome === 'lost') {
    logger.info('step was claimed by another attempt or cancelled')
    return
  }
  // The organization is suspended: nothing can be written, and the attempt does not count as failed.
  if (isSuspended(error)) throw error
  if (error instanceof UnusableFile) return stop(bench, step, attempt, taken, error)
  if (error instanceof ToBeDivided) return divide(step, attempt, taken, error)
  if (outcome === 'given_back') await giveBack(db, taken)
  else if (isLast) {
    const failure = rules.processingFailed(step.does)
    await stop(bench, step, attempt, taken, { failure, error })
  } else await awaitNext(step, attempt, taken)
  throw error
}

/** The worker is shutting down, which is no failure: the attempt does not count. */
async function giveBack(db: OrganizationDb, { asset, claim }: Taken): Promise<void> {
  await store.releaseStep(db, asset.id, claim, claim.takes - 1)
}

async function awaitNext(
  { does, job }: Step,
  { db, number }: Attempt<StepInput>,
  { asset: { id }, claim }: Taken,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id }))
    if (!asset || !(await store.releaseStep(tx, id, claim, claim.takes - 1))) return
    await recordTimeline(
      tx,
      asset,
      rules.attemptFailed(does, number, pauseSecondsAfter(number, job)),
    )
  })
}

/** Replaces a step that failed as a whole by its parts, which are enqueued. */
async function divide(
  step: Step,
  { db, input, logger }: Attempt<StepInput>,
  { asset: { id }, claim }: Taken,
  { portions, cause }: ToBeDivided,
): Promise<void> {
  logger.warn({ err: cause, portions }, 'step part failed; splitting it')
  await db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(
      lockAssetQuery({ id }),
      store.finishStep({ assetId: id, ...claim }),
    )
    if (!asset || !finished) return
    await enterParts(tx, id, { step, run: input.run }, portions)
    await recordTimeline(tx, asset, rules.dividedUp(step.does))
  })
}

/** Fails the step, and the asset unless the step is optional. Does nothing if another attempt owns the step. */
async function stop(
  { metrics, stages }: PipelineDeps,
  step: Step,
  { db, input: { run } }: Attempt<StepInput>,
  { asset, claim }: Taken,
  { failure, error }: { readonly failure: Failure; readonly error?: unknown },
): Promise<void> {
  const course: Course = { stages, step, run }
  const hasFailed = await db.transaction(async (tx) => {
    const [[locked]] = await tx.run(lockAssetQuery({ id: asset.id }))
    if (!locked || !(await store.holdsStep(tx, asset.id, claim))) return false
    const isFatal = await failStep(tx, locked, course, claim.part, failure)
    // The remaining parts would not match the encoded ones, so retrying them is pointless.
    if (error instanceof EncoderMismatch) await store.abandonSteps(tx, asset.id)
    return isFatal
  })
  if (hasFailed) metrics.countFailure(failure.code)
}
