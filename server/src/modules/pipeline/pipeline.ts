import { DomainError } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import type { QueueName } from '../../kernel/queues.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob, type Wish } from '../../platform/jobs/enqueue.ts'
import {
  type Asset,
  acceptSourceQueries,
  changeStatus,
  findFailed,
  findSource,
  lockAsset,
  lockAssetQuery,
  type NewTimelineEntry,
  recordAccepted,
  reprocessQueries,
  type Source,
  type StepWait,
  sourceOf,
} from '../assets/assets.ts'
import { removeProduced } from '../subtitles/subtitles.ts'
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
 * Completes an upload: pins the file to its asset and enqueues processing, in the caller's transaction, which holds
 * the lock of the asset.
 */
export async function processFile(
  tx: OrganizationDb,
  assetId: AssetId,
  source: Source,
  detail: string,
): Promise<Asset> {
  return beginProcessing(tx, assetId, acceptSourceQueries(assetId, source, detail))
}

/**
 * For operators, when processed files were lost but the source was not: processes the file again from the start.
 * Running attempts lose their steps. Returns false if there is no file or no asset.
 */
export async function processAgain(db: OrganizationDb, id: AssetId): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [[asset], [source]] = await tx.run(lockAssetQuery({ id }), sourceOf({ id }))
    if (!asset || !source) return false
    await beginAgain(tx, asset, madeAgain)
    return true
  })
}

/** Discards all results and starts from the first step. */
async function beginAgain(
  tx: OrganizationDb,
  asset: Asset,
  entry: NewTimelineEntry,
  options?: Wish,
): Promise<Asset> {
  await promiseTidying(tx, asset)
  await removeProduced(tx, asset)
  return beginProcessing(tx, asset.id, reprocessQueries(asset.id, entry), options)
}

/** Starts with the first step, in one round trip with the queries that set the asset to waiting. */
async function beginProcessing(
  tx: OrganizationDb,
  assetId: AssetId,
  waiting: ReturnType<typeof acceptSourceQueries | typeof reprocessQueries>,
  options?: Wish,
): Promise<Asset> {
  const first = placeOf(firstStep)
  const [[accepted], , [begun]] = await tx.run(...waiting, ...store.runBegun(assetId, first))
  const asset = await recordAccepted(tx, accepted)
  await enqueueStep(tx, first, { assetId, run: begun?.run ?? 1 }, options)
  return asset
}

/** Running attempts notice at their next heartbeat that they lost their step. */
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
    // A user is waiting for it, so it goes before jobs that were enqueued in bulk.
    const options = { urgency: 'soon' } as const
    const { run, steps: resumed } = await store.resumeRun(tx, id)
    // An asset that waits without a step would wait forever.
    if (resumed.length === 0) return beginAgain(tx, asset, retried, options)
    for (const step of resumed.toSorted(inOrder)) {
      await enqueueStep(tx, step, { assetId: id, run }, options)
    }
    return changeStatus(tx, asset, 'Queued', retried)
  })
}

/** Original order: by stage, then by part number. */
function inOrder(one: store.StepPlace, other: store.StepPlace): number {
  const place = ({ step }: store.StepPlace) => steps.findIndex((known) => stepName(known) === step)
  return (
    place(one) - place(other) || Number.parseInt(one.part, 10) - Number.parseInt(other.part, 10)
  )
}

const steps = stages.flat()

/** Batch size and maximum number of batches. Run the command again for more. */
const RETRY_BATCH = 100
const RETRY_BATCHES_MAX = 1000

/**
 * For operators, after the cause is fixed: retries all assets that failed for internal reasons. Returns their
 * number.
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

/** The asset may have been deleted or retried since the query; that does not stop the others. */
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

/** Running attempts can no longer finish. Their files are deleted later. */
export async function stopProcessing(tx: OrganizationDb, asset: Asset): Promise<void> {
  await store.stopSteps(tx, asset.id)
  await promiseTidying(tx, asset)
}

/** Enqueues a step once per run; duplicates are ignored. */
export async function enqueueStep(
  tx: OrganizationDb,
  { step: name, part, queue }: store.StepPlace,
  { assetId, run }: Omit<StepInput, 'part'>,
  { id = [assetId, run, ...(part ? [part] : [])].join('-'), ...options }: Wish = {},
): Promise<void> {
  // Only existing queues are stored.
  const job = { name, queue: queue as QueueName }
  await enqueueJob<StepInput>(tx, job, { assetId, run, ...(part && { part }) }, { id, ...options })
}

/** The step that an asset is waiting for, as a query and as text. */
export const processingWait = store.currentStep

export function tellWait({ step: name, state }: StepWait): string {
  const step = steps.find((known) => stepName(known) === name)
  if (!step) return 'The file is being processed.'
  return state === 'running' ? `${step.does}.` : `${step.awaits}.`
}
