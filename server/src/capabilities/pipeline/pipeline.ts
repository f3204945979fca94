import { DomainError } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { promiseJob, type Wish } from '../../platform/jobs/promise.ts'
import type { QueueName } from '../../platform/jobs/queues.ts'
import {
  type Asset,
  changeStatus,
  findFailed,
  findSource,
  lockAsset,
  lockedAsset,
  type News,
  type Source,
  type StepWait,
  sourceAccepted,
  sourceKept,
  sourceOf,
  tellAccepted,
} from '../assets/assets.ts'
import { withdrawMade } from '../subtitles/subtitles.ts'
import { promiseTidying, tidyOutputs } from './outputs.ts'
import {
  cancelled,
  failuresOfOurs,
  isUnderWay,
  madeAgain,
  nothingToCancel,
  nothingToRetry,
  retried,
} from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { firstStep, stages } from './steps/stages.ts'
import { placeOf, type StepInput, stepName } from './steps/step.ts'

export { tidyOutputs }

/**
 * The moment of completion: the uploaded file is pinned to its asset and its processing promised, in the caller's
 * transaction, which holds the asset.
 */
export async function processFile(
  tx: OrganizationDb,
  assetId: AssetId,
  source: Source,
  detail: string,
): Promise<Asset> {
  return beginProcessing(tx, assetId, sourceAccepted(assetId, source, detail))
}

/**
 * For the operator, when what was made of a file is lost and the file is not: all of it is made
 * again. Whatever works on it meanwhile has lost its step. Answers false if there is no file, or no
 * asset any more.
 */
export async function processAgain(db: OrganizationDb, id: AssetId): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [[asset], [source]] = await tx.run(lockedAsset({ id }), sourceOf({ id }))
    if (!asset || !source) return false
    await beginAgain(tx, asset, madeAgain)
    return true
  })
}

/** Nothing of what was made of the file counts any more. */
async function beginAgain(
  tx: OrganizationDb,
  asset: Asset,
  news: News,
  wish?: Wish,
): Promise<Asset> {
  await promiseTidying(tx, asset)
  await withdrawMade(tx, asset)
  return beginProcessing(tx, asset.id, sourceKept(asset.id, news), wish)
}

/** From the first step on, in one round trip with what makes the asset wait for it. */
async function beginProcessing(
  tx: OrganizationDb,
  assetId: AssetId,
  waiting: ReturnType<typeof sourceAccepted | typeof sourceKept>,
  wish?: Wish,
): Promise<Asset> {
  const first = placeOf(firstStep)
  const [[accepted], , [begun]] = await tx.run(...waiting, ...store.runBegun(assetId, first))
  const asset = await tellAccepted(tx, accepted)
  await promiseStep(tx, first, { assetId, run: begun?.run ?? 1 }, wish)
  return asset
}

/** Whatever works on it finds out by its next sign of life that the step is not its own any more. */
export async function cancelProcessing(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    if (asset.status === 'Cancelled') return asset
    if (!isUnderWay(asset)) throw nothingToCancel(asset)
    await stopProcessing(tx, asset)
    return changeStatus(tx, asset, 'Cancelled', cancelled)
  })
}

export async function retryProcessing(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    const isOver = asset.status === 'Error' || asset.status === 'Cancelled'
    if (!isOver || !(await findSource(tx, id))) throw nothingToRetry(asset)
    // Somebody waits for it; what was promised in bulk can stand behind it.
    const wish = { urgency: 'soon' } as const
    const { run, steps: resumed } = await store.resumeRun(tx, id)
    // An asset that waits without a step would wait for ever.
    if (resumed.length === 0) return beginAgain(tx, asset, retried, wish)
    for (const step of resumed.toSorted(inOrder)) {
      await promiseStep(tx, step, { assetId: id, run }, wish)
    }
    return changeStatus(tx, asset, 'Queued', retried)
  })
}

/** As they were promised at first: stage by stage, the parts by their numbers. */
function inOrder(one: store.StepPlace, other: store.StepPlace): number {
  const place = ({ step }: store.StepPlace) => steps.findIndex((known) => stepName(known) === step)
  return (
    place(one) - place(other) || Number.parseInt(one.part, 10) - Number.parseInt(other.part, 10)
  )
}

const steps = stages.flat()

/** Retried at a time, and how often: whoever has more of them asks again. */
const RETRY_BATCH = 100
const RETRY_BATCHES_MAX = 1000

/**
 * For the operator, once what made them fail is mended: retries what failed through no fault of the
 * file. Answers how many.
 */
export async function retryFailed(db: OrganizationDb): Promise<number> {
  let retried = 0
  for (let batch = 0; batch < RETRY_BATCHES_MAX; batch++) {
    const failed = await findFailed(db, failuresOfOurs, RETRY_BATCH)
    for (const id of failed) if (await retryIfStill(db, id)) retried++
    if (failed.length < RETRY_BATCH) break
  }
  return retried
}

/** Somebody may have deleted it since it was looked for, or retried it: that keeps no other waiting. */
async function retryIfStill(db: OrganizationDb, id: AssetId): Promise<boolean> {
  try {
    await retryProcessing(db, id)
    return true
  } catch (error) {
    if (error instanceof DomainError && isNoMatter.has(error.code)) return false
    throw error
  }
}

const isNoMatter: ReadonlySet<string> = new Set(['asset_not_found', 'nothing_to_retry'])

/** Nothing that works on it can finish any more. What it left in storage is freed later. */
export async function stopProcessing(tx: OrganizationDb, asset: Asset): Promise<void> {
  await store.stopSteps(tx, asset.id)
  await promiseTidying(tx, asset)
}

/** Of two promises of the same step in the same run only the first counts. */
export async function promiseStep(
  tx: OrganizationDb,
  { step: name, part, queue }: store.StepPlace,
  { assetId, run }: Omit<StepInput, 'part'>,
  { id = [assetId, run, ...(part ? [part] : [])].join('-'), ...wish }: Wish = {},
): Promise<void> {
  // Only queues that there are have been written.
  const job = { name, queue: queue as QueueName }
  await promiseJob<StepInput>(tx, job, { assetId, run, ...(part && { part }) }, { id, ...wish })
}

/** What the processing of an asset waits for, as a query and in words. */
export const processingWait = store.currentStep

export function tellWait({ step: name, state }: StepWait): string {
  const step = steps.find((one) => stepName(one) === name)
  if (!step) return 'The file is being processed.'
  return state === 'running' ? `${step.does}.` : `${step.awaits}.`
}
