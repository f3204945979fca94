/**
 * Assets that go. Their rows go at once; what they hold in storage is freed by a job that is promised in the same
 * transaction, and once more when nothing can be posted any more: a form that was signed before the deletion is
 * good until it expires, and storage does not ask us.
 */
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import { promiseJob } from '../../platform/jobs/promise.ts'
import { recordEvents } from '../events/events.ts'
import type { FiledAssets } from '../folders/folders.ts'
import * as store from './asset-deletion.store.ts'
import { assetDeleted, type ToldAsset } from './assets.events.ts'
import { assetNotFound, storagePrefix } from './assets.rules.ts'

/** Few enough that an attempt which fails at the last of them has not wasted much. */
const ASSETS_PER_JOB_MAX = 100

/** Attempts go on for some two and a half hours; the second promise of the same begins anew, hours later. */
export const freeAssets = defineJob<{ readonly assetIds: readonly AssetId[] }>({
  name: 'free-assets',
  queue: 'light',
  attemptsMax: 12,
  firstPauseSeconds: 5,
  attemptSecondsMax: 300,
  about: ({ assetIds: [assetId, ...others] }) =>
    assetId === undefined || others.length > 0 ? {} : { asset_id: assetId },
})

/** How long after its signing something may still arrive with a form: its lifetime and the longest transfer. */
export type FormLife = { readonly formSecondsMax: number }

export async function deleteAsset(
  { formSecondsMax }: FormLife,
  db: OrganizationDb,
  id: AssetId,
): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await store.deleteOne(tx, id)
    if (!removed) throw assetNotFound()
    await follow(tx, [removed], formSecondsMax)
  })
}

/** What folders need of assets. */
export const filedAssets = ({ formSecondsMax }: FormLife): FiledAssets => ({
  countIn: store.countIn,
  countBeneath: store.countBeneath,
  removeBeneath: async (tx, folder) => {
    const removed = await store.deleteBeneath(tx, folder.uuid)
    await follow(tx, removed, formSecondsMax)
  },
})

async function follow(
  tx: OrganizationDb,
  removed: readonly ToldAsset[],
  formSecondsMax: number,
): Promise<void> {
  await recordEvents(tx, ...removed.map(assetDeleted))
  await promiseToFree(
    tx,
    removed.map(({ id }) => id),
    formSecondsMax,
  )
}

async function promiseToFree(
  tx: OrganizationDb,
  assetIds: readonly AssetId[],
  formSecondsMax: number,
): Promise<void> {
  for (let start = 0; start < assetIds.length; start += ASSETS_PER_JOB_MAX) {
    const input = { assetIds: assetIds.slice(start, start + ASSETS_PER_JOB_MAX) }
    await promiseJob(tx, freeAssets, input)
    await promiseJob(tx, freeAssets, input, { delaySeconds: formSecondsMax })
  }
}

/** A bucket that has something of an asset. Answers whether all under the prefix is gone. */
export type AssetBucket = { free(prefix: string): Promise<boolean> }

/** Twice is once: what is gone is not there to be freed. */
export async function freeStorage(
  buckets: readonly AssetBucket[],
  { organizationId }: OrganizationDb,
  assetIds: readonly AssetId[],
  signal: AbortSignal,
): Promise<void> {
  for (const id of assetIds) {
    for (const bucket of buckets) {
      do signal.throwIfAborted()
      while (!(await bucket.free(storagePrefix(organizationId, id))))
    }
  }
}
