/**
 * One attempt at a step: it is taken, done under signs of life, and published.
 *
 * Any of this may happen twice or stop anywhere. The token drawn at the beginning is what makes it
 * safe: an attempt that was thought dead and comes back finds at its next sign of life, or at the
 * latest when it wants to publish, that the step is another's. What it put into storage meanwhile
 * lies where nobody looks.
 */
import type { Recogniser, Sandbox, SourceObject } from '@reelkeep/media'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isHeld } from '../../platform/db/held.ts'
import { type Attempt, NotBegun } from '../../platform/jobs/handler.ts'
import { pauseSecondsAfter } from '../../platform/jobs/job.ts'
import { noteFacts, untraced } from '../../platform/observability/tracing.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import {
  type Asset,
  type Failure,
  lockedAsset,
  playableAfter,
  type Source,
  sourceOf,
  tell,
} from '../assets/assets.ts'
import type { Drm } from '../content-keys/content-keys.ts'
import { MadeByAnother } from '../renditions/renditions.ts'
import { keepStep } from './heartbeat.ts'
import { attemptPrefix, openOutputs, openStored } from './outputs.ts'
import { openPieces } from './pieces.ts'
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

/** What attempts work with. */
export type Workbench = {
  /** Where files come from, and where goes what is made of them. */
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  readonly sandbox: Sandbox
  readonly keyRing: KeyRing
  readonly drm: Drm
  readonly recogniser: Recogniser | undefined
  readonly metrics: PipelineMetrics
  /** In the order in which they are done. */
  readonly stages: readonly Stage[]
}

type Taken = {
  readonly asset: Asset
  readonly source: Source | undefined
  readonly claim: rules.Claim
}

export async function attemptStep(
  bench: Workbench,
  step: Step,
  attempt: Attempt<StepInput>,
): Promise<void> {
  const { db, input } = attempt
  // The last attempt as well must leave the step with somebody: nobody else would promise one that waits.
  const taken = await take(db, step, input).catch((error: unknown) => {
    throw new NotBegun(error)
  })
  if (!taken) return
  if (taken.claim.isTakenOver) bench.metrics.countTakenOver(stepName(step))
  if (taken.claim.takes > rules.TAKES_MAX) {
    return stop(bench, step, attempt, taken, { failure: rules.stoppedWorkers(step.does) })
  }
  // Two seconds after two seconds, for hours, say: a trace would be full of nothing else.
  await using kept = untraced(() => keepStep(db, taken.asset, taken.claim, attempt.logger))
  const { lost, tell } = kept
  const pieces = openPieces()
  const began = performance.now()
  const observe = (outcome: StepOutcome) => {
    const seconds = (performance.now() - began) / 1000
    bench.metrics.observeAttempt(stepName(step), outcome, seconds)
    noteFacts({ outcome, ...pieces.facts() })
    attempt.logger.info({ outcome, seconds }, 'an attempt at a step ended')
  }
  try {
    const publish = await run(bench, step, taken, { ...attempt, lost, tell, pieces })
    const finished = await finish(bench, step, attempt, taken, publish)
    observe(finished ? 'done' : 'lost')
    const playableSeconds = finished?.playableSeconds
    // Of a retry, the time since the upload would tell when somebody asked for it.
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
  if (leaving.aborted || isHeld(error)) return 'given_back'
  return error instanceof UnusableFile ? 'unusable' : 'failed'
}

/** Undefined if there is nothing to do any more: it is done, cancelled, deleted, or another run's. */
async function take(
  db: OrganizationDb,
  step: Step,
  { assetId, run, part = '' }: StepInput,
): Promise<Taken | undefined> {
  const secondsMax = step.job.attemptSecondsMax + rules.GRACE_SECONDS
  return db.transaction(async (tx) => {
    const [[asset], [claim], [source]] = await tx.run(
      lockedAsset({ id: assetId }),
      store.takeStep({ assetId, step: stepName(step), part, run, secondsMax }),
      sourceOf({ id: assetId }),
    )
    if (!asset || !claim) return undefined
    if (claim.isTakenOver) await tell(tx, asset, rules.takenOver(step.does))
    if (asset.status !== 'Queued') return { asset, source, claim }
    return { asset: await begin(tx, asset), source, claim }
  })
}

type Signs = Pick<ReturnType<typeof keepStep>, 'lost' | 'tell'> & {
  readonly pieces: ReturnType<typeof openPieces>
}

async function run(
  { uploads, media, sandbox, keyRing, drm, recogniser }: Workbench,
  step: Step,
  { asset, source, claim }: Taken,
  { db, number, logger, signal, lost, tell, pieces }: Attempt<StepInput> & Signs,
): Promise<Publish> {
  if (!source) throw new Error(`Asset ${asset.id} is processed without a file`)
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
    recogniser,
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
  /** Of the one step that made the video playable: how long that took since the upload. */
  readonly playableSeconds: number | undefined
}

/**
 * The one moment at which the result becomes visible, and with it the promise of what comes next.
 * Undefined if the step is no longer this attempt's: then nothing does.
 */
async function finish(
  { stages }: Workbench,
  step: Step,
  { db, input, logger }: Attempt<StepInput>,
  { claim }: Taken,
  publish: Publish,
): Promise<Finished | undefined> {
  const { assetId, run } = input
  return db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(
      lockedAsset({ id: assetId }),
      store.finishStep({ assetId, ...claim }),
    )
    if (!asset || !finished) {
      logger.warn('the step is no longer this attempt’s')
      return undefined
    }
    await publish(tx, asset)
    if (!finished.isOtherOpen) await goOn(tx, asset, { stages, step, run })
    // Steps are done side by side; under the lock only one finds that it was not playable before and is now.
    const wasPlayable = asset.playableAt !== null
    return { playableSeconds: wasPlayable ? undefined : await playableAfter(tx, assetId) }
  })
}

type Ended = { readonly outcome: StepOutcome; readonly error: unknown }

/** Throws what the engine is to know of: that there must be another attempt, or that there will be none. */
async function follow(
  bench: Workbench,
  step: Step,
  attempt: Attempt<StepInput>,
  taken: Taken,
  { outcome, error }: Ended,
): Promise<void> {
  const { db, isLast, logger } = attempt
  if (outcome === 'lost') {
    logger.info('another attempt has taken the step, or it was cancelled')
    return
  }
  // Nothing can be noted of it, and nothing has failed.
  if (isHeld(error)) throw error
  if (error instanceof UnusableFile) return stop(bench, step, attempt, taken, error)
  if (error instanceof ToBeDivided) return divide(step, attempt, taken, error)
  if (outcome === 'given_back') await giveBack(db, taken)
  else if (isLast) {
    const failure = rules.processingFailed(step.does)
    await stop(bench, step, attempt, taken, { failure, error })
  } else await awaitNext(step, attempt, taken)
  throw error
}

/** The worker must go; that is nobody's failure, so the attempt does not count. */
async function giveBack(db: OrganizationDb, { asset, claim }: Taken): Promise<void> {
  await store.releaseStep(db, asset.id, claim, claim.takes - 1)
}

async function awaitNext(
  { does, job }: Step,
  { db, number }: Attempt<StepInput>,
  { asset: { id }, claim }: Taken,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockedAsset({ id }))
    if (!asset || !(await store.releaseStep(tx, id, claim, claim.takes - 1))) return
    await tell(tx, asset, rules.attemptFailed(does, number, pauseSecondsAfter(number, job)))
  })
}

/** What did not work in one go is promised in pieces; the step is done with that. */
async function divide(
  step: Step,
  { db, input, logger }: Attempt<StepInput>,
  { asset: { id }, claim }: Taken,
  { portions, cause }: ToBeDivided,
): Promise<void> {
  logger.warn({ err: cause, portions }, 'a part of a step failed and is divided up')
  await db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(
      lockedAsset({ id }),
      store.finishStep({ assetId: id, ...claim }),
    )
    if (!asset || !finished) return
    await enterParts(tx, id, { step, run: input.run }, portions)
    await tell(tx, asset, rules.dividedUp(step.does))
  })
}

/** The step fails, and with it the asset if it must, unless the step is no longer this attempt's. */
async function stop(
  { metrics, stages }: Workbench,
  step: Step,
  { db, input: { run } }: Attempt<StepInput>,
  { asset, claim }: Taken,
  { failure, error }: { readonly failure: Failure; readonly error?: unknown },
): Promise<void> {
  const course: Course = { stages, step, run }
  const hasFailed = await db.transaction(async (tx) => {
    const [[held]] = await tx.run(lockedAsset({ id: asset.id }))
    if (!held || !(await store.holdsStep(tx, asset.id, claim))) return false
    const isFatal = await failStep(tx, held, course, claim.part, failure)
    // What is left to do would not fit what is done, however often it is tried.
    if (error instanceof MadeByAnother) await store.abandonSteps(tx, asset.id)
    return isFatal
  })
  if (hasFailed) metrics.countFailure(failure.code)
}
