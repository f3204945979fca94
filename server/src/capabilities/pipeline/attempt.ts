/**
 * One attempt at a step: it is taken, done under signs of life, and published.
 *
 * Any of this may happen twice or stop anywhere. The token drawn at the beginning is what makes it safe: an attempt that was
 * thought dead and comes back finds at its next sign of life, or at the latest when it wants to publish, that
 * the step is another's. What it put into storage meanwhile lies where nobody looks.
 */
import type { Sandbox, SourceObject } from '@reelkeep/media'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Attempt } from '../../platform/jobs/handler.ts'
import { pauseSecondsAfter } from '../../platform/jobs/job.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import {
  type Asset,
  changeStatus,
  type Failure,
  failAsset,
  lockedAsset,
  type Source,
  sourceOf,
  tell,
} from '../assets/assets.ts'
import { keepStep } from './heartbeat.ts'
import { attemptPrefix, openOutputs, promiseTidying } from './outputs.ts'
import * as rules from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { promiseStep, stopProcessing } from './pipeline.ts'
import { type Publish, placeOf, type Step, type StepInput, stepName, UnusableFile } from './step.ts'

/** What attempts work with. */
export type Workbench = {
  /** Where files come from, and where goes what is made of them. */
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  readonly sandbox: Sandbox
  /** In the order in which they are done. */
  readonly steps: readonly Step[]
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
  const taken = await take(db, step, input)
  if (!taken) return
  if (taken.claim.takes > rules.TAKES_MAX) {
    return stop(db, taken, rules.stoppedWorkers(step.does))
  }
  await using kept = keepStep(db, taken.asset, taken.claim, attempt.logger)
  try {
    const publish = await run(bench, step, taken, { ...attempt, lost: kept.lost })
    await finish(bench, step, attempt, taken, publish)
  } catch (error) {
    await afterFailure(step, attempt, taken, kept.lost, error)
  }
}

/** Undefined if there is nothing to do any more: it is done, cancelled, deleted, or another run's. */
async function take(
  db: OrganizationDb,
  step: Step,
  { assetId, run }: StepInput,
): Promise<Taken | undefined> {
  const secondsMax = step.job.attemptSecondsMax + rules.GRACE_SECONDS
  return db.transaction(async (tx) => {
    const [[asset], [claim], [source]] = await tx.run(
      lockedAsset({ id: assetId }),
      store.takeStep({ assetId, step: stepName(step), run, secondsMax }),
      sourceOf({ id: assetId }),
    )
    if (!asset || !claim) return undefined
    if (claim.isTakenOver) await tell(tx, asset, rules.takenOver(step.does))
    if (asset.status !== 'Queued') return { asset, source, claim }
    const processing = await changeStatus(tx, asset, 'Processing', rules.processingStarted)
    return { asset: processing, source, claim }
  })
}

async function run(
  { uploads, media, sandbox }: Workbench,
  step: Step,
  { asset, source, claim }: Taken,
  { db, logger, signal, lost }: Attempt<StepInput> & { readonly lost: AbortSignal },
): Promise<Publish> {
  if (!source) throw new Error(`Asset ${asset.id} is processed without a file`)
  const wanted = AbortSignal.any([signal, lost])
  const prefix = attemptPrefix(db, asset.id, claim)
  return step.run({
    asset,
    file: fileOf(uploads, source),
    sandbox,
    outputs: openOutputs(media, prefix, wanted),
    signal: wanted,
    logger,
  })
}

const fileOf = (uploads: UploadsBucket, source: Source): SourceObject => ({
  sizeBytes: source.bytes,
  read: (range, signal) => uploads.read(source, range, signal),
})

/** The one moment at which the result becomes visible, and with it the promise of what comes next. */
async function finish(
  { steps }: Workbench,
  step: Step,
  { db, input, logger }: Attempt<StepInput>,
  { claim }: Taken,
  publish: Publish,
): Promise<void> {
  const { assetId } = input
  const next = steps[steps.indexOf(step) + 1]
  await db.transaction(async (tx) => {
    const [[asset], [finished]] = await tx.run(
      lockedAsset({ id: assetId }),
      store.finishStep({ assetId, ...claim }),
    )
    if (!asset || !finished) return logger.warn('the step is no longer this attempt’s')
    await publish(tx, asset)
    if (!next) return complete(tx, asset, claim.token > steps.length)
    await tx.send(store.enterStep({ assetId, ...placeOf(next) }))
    await promiseStep(tx, placeOf(next), input)
  })
}

/** More tokens than steps: some attempt did not finish its step, and may have left something. */
async function complete(tx: OrganizationDb, asset: Asset, isUntidy: boolean): Promise<void> {
  await changeStatus(tx, asset, 'Completed', rules.completed)
  if (isUntidy) await promiseTidying(tx, asset)
}

/** Throws what the engine is to know of: that there must be another attempt, or that there will be none. */
async function afterFailure(
  step: Step,
  attempt: Attempt<StepInput>,
  taken: Taken,
  lost: AbortSignal,
  error: unknown,
): Promise<void> {
  const { db, input, number, isLast, leaving, logger } = attempt
  const { claim } = taken
  if (lost.aborted) {
    logger.warn({ err: error }, 'another attempt has taken the step, or it was cancelled')
    return
  }
  if (leaving.aborted) {
    await store.releaseStep(db, input.assetId, claim, claim.takes - 1)
    throw error
  }
  if (error instanceof UnusableFile) return stop(db, taken, error.failure)
  if (isLast) {
    await stop(db, taken, rules.processingFailed(step.does))
    throw error
  }
  const pauseSeconds = pauseSecondsAfter(number, step.job)
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockedAsset({ id: input.assetId }))
    if (!asset || !(await store.releaseStep(tx, asset.id, claim, claim.takes - 1))) return
    await tell(tx, asset, rules.attemptFailed(step.does, number, pauseSeconds))
  })
  throw error
}

/** The asset fails, unless the step is no longer this attempt's. */
async function stop(db: OrganizationDb, { asset, claim }: Taken, failure: Failure): Promise<void> {
  await db.transaction(async (tx) => {
    const [[held]] = await tx.run(lockedAsset({ id: asset.id }))
    if (!held || !(await store.holdsStep(tx, asset.id, claim))) return
    await stopProcessing(tx, held)
    await failAsset(tx, asset.id, failure)
  })
}
