import { DomainError } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import type { QueueName } from '../../kernel/queues.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type EnqueueOptions, enqueueJob, type Urgency } from '../../platform/jobs/enqueue.ts'
import {
  type Asset,
  acceptSourceQueries,
  changeStatus,
  findFailed,
  findSource,
  type ItemError,
  itemError,
  lockAsset,
  lockAssetQuery,
  type NewTimelineEntry,
  recordAccepted,
  reprocessQueries,
  type Source,
  type StepWait,
  sourceOf,
} from '../assets/assets.ts'
import { renderPart } from '../renditions/renditions.ts'
import { removeProduced } from '../subtitles/subtitles.ts'
import { cleanUpOutputs, enqueueCleanUp, keptOutputs } from './outputs.ts'
import {
  cancelled,
  internalFailures,
  isProcessing,
  isUnrendered,
  nothingToCancel,
  nothingToRetry,
  reprocessed,
  retried,
} from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { firstStep, stages } from './steps/stages.ts'
import { type StepInput, stepName, stepRef } from './steps/step.ts'

export { cleanUpOutputs, enqueueCleanUp, keptOutputs }

/** The uploaded file, and the text of its timeline entry. */
type Upload = { readonly source: Source; readonly detail: string }

/**
 * Completes an upload: pins the file to its asset and enqueues processing, in the caller's transaction, which holds
 * the lock of the asset.
 */
export async function processFile(tx: OrganizationDb, assetId: AssetId, { source, detail }: Upload): Promise<Asset> {
  return startRun(tx, assetId, { accepted: acceptSourceQueries(assetId, source, detail) })
}

/**
 * For operators, when processed files were lost but the source was not: processes the file again from the start.
 * Running attempts lose their steps. Returns false if there is no file or no asset.
 */
export async function processAgain(db: OrganizationDb, id: AssetId): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [[asset], [source]] = await tx.run(lockAssetQuery({ id }), sourceOf({ id }))
    // While the asset shows another version, its columns are not those of its own file.
    if (!asset || !source || asset.shownMediaId !== null) return false
    await restart(tx, asset, { entry: reprocessed })
    return true
  })
}

type Restart = { readonly entry: NewTimelineEntry; readonly options?: EnqueueOptions }

/** Discards all results and starts from the first step. */
async function restart(tx: OrganizationDb, asset: Asset, { entry, options }: Restart): Promise<Asset> {
  await enqueueCleanUp(tx, asset)
  await removeProduced(tx, asset)
  return startRun(tx, asset.id, { accepted: reprocessQueries(asset.id, entry), options })
}

type NewRun = {
  /** Queries that set the status of the asset to Queued. */
  readonly accepted: ReturnType<typeof acceptSourceQueries | typeof reprocessQueries>
  readonly options?: EnqueueOptions | undefined
}

/** Starts a run with the first step, in one round trip with the given queries. */
async function startRun(tx: OrganizationDb, assetId: AssetId, { accepted: queries, options }: NewRun): Promise<Asset> {
  const first = stepRef(firstStep)
  const [[accepted], , [run]] = await tx.run(...queries, ...store.newRunQueries(assetId, first))
  const asset = await recordAccepted(tx, accepted)
  await enqueueStep(tx, { ...first, assetId, run: run?.run ?? 1 }, options)
  return asset
}

/** Cancels processing. Running attempts detect at their next heartbeat that they lost their step. */
export async function cancelProcessing(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    if (asset.status === 'Cancelled') return asset
    if (!isProcessing(asset)) throw nothingToCancel(asset)
    await stopProcessing(tx, asset)
    return changeStatus(tx, asset, 'Cancelled', cancelled)
  })
}

/** With the urgency `soon`, because a user is waiting, the retry has priority over jobs that were enqueued in bulk. */
export async function retryProcessing(db: OrganizationDb, id: AssetId, urgency: Urgency = 'soon'): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    const isOver = asset.status === 'Error' || asset.status === 'Cancelled'
    const options = { urgency }
    if (isOver && isUnrendered(asset)) {
      const run = await store.startRenderRun(tx, id)
      await enqueueJob(tx, renderPart, { input: { assetId: id, run }, ...options })
      return changeStatus(tx, asset, 'Queued', retried)
    }
    if (!isOver || !(await findSource(tx, id))) throw nothingToRetry(asset)
    const { run, steps: resumed } = await store.resumeRun(tx, id)
    // If no step is left to resume, start from the first one; otherwise the asset would wait forever.
    if (resumed.length === 0) return restart(tx, asset, { entry: retried, options })
    for (const step of resumed.toSorted(inOrder)) {
      await enqueueStep(tx, { ...step, assetId: id, run }, options)
    }
    return changeStatus(tx, asset, 'Queued', retried)
  })
}

/** Retries assets in one transaction, and returns why some of them were not retried. */
export async function retryAssets(tx: OrganizationDb, ids: readonly AssetId[]): Promise<ItemError[]> {
  const errors: ItemError[] = []
  for (const id of ids) {
    await retryProcessing(tx, id, 'normal').catch((error: unknown) => errors.push(itemError(id, error)))
  }
  return errors
}

/** Compares steps by their original order: by stage, then by part number. */
function inOrder(one: store.StepRef, other: store.StepRef): number {
  const index = ({ step }: store.StepRef) => steps.findIndex((known) => stepName(known) === step)
  return index(one) - index(other) || Number.parseInt(one.part, 10) - Number.parseInt(other.part, 10)
}

const steps = stages.flat()

const RETRY_BATCH = 100

/**
 * For operators, after the cause is fixed: retries each asset that failed for internal reasons, in the order of their
 * ids. Some stay failed, because they have no file or fail again. Returns the number of those that were retried.
 */
export async function retryFailed(db: OrganizationDb): Promise<number> {
  let retried = 0
  let after: AssetId | undefined
  do {
    const failed = await findFailed(db, internalFailures, { after, limit: RETRY_BATCH })
    for (const id of failed) if (await retryIfStill(db, id)) retried++
    after = failed.length < RETRY_BATCH ? undefined : failed.at(-1)
  } while (after)
  return retried
}

/** Returns false if the asset was deleted or retried since the query, so that the other assets are still retried. */
async function retryIfStill(db: OrganizationDb, id: AssetId): Promise<boolean> {
  try {
    await retryProcessing(db, id)
    return true
  } catch (error) {
    if (error instanceof DomainError && isHarmless.has(error.code)) return false
    throw error
  }
}

const isHarmless: ReadonlySet<string> = new Set(['asset_not_found', 'nothing_to_retry'])

/** Stops all steps: running attempts can no longer finish. Their files are deleted later. */
export async function stopProcessing(tx: OrganizationDb, asset: Asset): Promise<void> {
  await store.stopSteps(tx, asset.id)
  await enqueueCleanUp(tx, asset)
}

/** Enqueues a step once per run; duplicates are ignored. */
export async function enqueueStep(
  tx: OrganizationDb,
  { step: name, part, queue, assetId, run }: store.StepRef & Omit<StepInput, 'part'>,
  { id = [assetId, run, ...(part ? [part] : [])].join('-'), ...options }: EnqueueOptions = {},
): Promise<void> {
  // The cast is safe, because only names of existing queues are stored.
  const job = { name, queue: queue as QueueName }
  await enqueueJob<StepInput>(tx, job, {
    input: { assetId, run, ...(part && { part }) },
    id,
    ...options,
  })
}

/** The step that an asset is waiting for, as a query and as text. */
export const processingWait = store.currentStep

export function describeWait({ step: name, state }: StepWait): string {
  const step = steps.find((known) => stepName(known) === name)
  if (!step) return 'The file is being processed.'
  return state === 'running' ? `${step.runningLabel}.` : `${step.waitingLabel}.`
}
