/** Sizes and checksums of the published files in the media bucket, as they were sent to storage. */
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PutResult } from '../../platform/storage/media-bucket.ts'
import { moveReferences } from './file-references.store.ts'
import { readIntact } from './intact-file.ts'
import { fileDamaged } from './published-files.rules.ts'
import * as store from './published-files.store.ts'
import * as repairs from './repairs.store.ts'

export type { OrganizationToCheck } from './published-files.store.ts'
export { fileDamaged, readIntact }

/** A stored file; its key is the prefix of its attempt and the name. */
export type StoredFile = PutResult & { readonly name: string }

/** Deletes the rows of all steps, because a new run replaces their files or they are deleted. */
export const unpublishSteps = store.deleteOfSteps

type Attempt = {
  readonly prefix: string
  readonly step: string
  readonly part: string
  readonly files: readonly StoredFile[]
}

/** Records the files of an attempt, in the transaction that publishes them. */
export async function recordPublished(tx: OrganizationDb, assetId: AssetId, attempt: Attempt): Promise<void> {
  if (attempt.files.length > 0) await store.insertFiles(tx, assetId, attempt)
}

/** Records a file that a client added. */
export async function recordAdded(
  tx: OrganizationDb,
  assetId: AssetId,
  { key, ...stored }: PutResult & { readonly key: string },
): Promise<void> {
  await store.insertFiles(tx, assetId, { prefix: key, step: null, part: null, files: [{ name: '', ...stored }] })
}

/** Removes a file that a client or a step added, in the transaction that removes the reference to it. */
export const removePublished = store.deleteFile

/** Prefixes and keys of all published files of an asset, and of their repairs. */
export const publishedPrefixes = store.selectPrefixes

/** The files under one prefix, with the names of the damaged ones. */
export type PublishedFiles = {
  readonly assetId: AssetId
  readonly prefix: string
  readonly step: string | null
  readonly part: string | null
  readonly files: readonly StoredFile[]
  readonly damaged: readonly string[]
  /** Prefix under which a repair stored the files again; these are kept for viewers with an older playlist. */
  readonly replacedBy: string | null
  readonly repairId: string | null
  readonly checkedAt: string
}

const MD5_BYTES = 16

const toFiles = ({ names, bytes, md5, ...row }: store.FilesRow): PublishedFiles => ({
  ...row,
  files: names.map((name, index) => ({
    name,
    bytes: bytes[index] ?? 0,
    md5: md5.subarray(MD5_BYTES * index, MD5_BYTES * (index + 1)),
  })),
})

export async function findPublished(
  db: OrganizationDb,
  assetId: AssetId,
  prefix: string,
): Promise<PublishedFiles | undefined> {
  const row = await store.findRow(db, assetId, prefix)
  return row && toFiles(row)
}

/** The files that were not checked since `before`, the longest unchecked first, from the row after `after`. */
export async function oldestChecked(db: OrganizationDb, options: store.OldestChecked): Promise<PublishedFiles[]> {
  return (await store.selectOldestChecked(db, options)).map(toFiles)
}

/** The files that were found intact, or published, most recently. */
export async function newestChecked(db: OrganizationDb): Promise<PublishedFiles | undefined> {
  const row = await store.findNewestChecked(db)
  return row && toFiles(row)
}

/** All published files of an asset. */
export async function listPublished(db: OrganizationDb, assetId: AssetId): Promise<PublishedFiles[]> {
  return (await store.selectRows(db, assetId)).map(toFiles)
}

export const pageOrganizations = store.pageOrganizations
export const organizationsToCheck = store.selectOrganizations
export const countDamaged = store.countDamaged
export const recordCheck = store.updateCheck
export const recordDamaged = store.insertDamaged
export const postponeCheck = store.postponeCheck
export const checkSoon = store.checkSoon

/** Whether a file of the asset is damaged and not repaired yet. */
export const hasDamage = store.hasDamage

/** Throws 503 if storage has damaged the file and it is not repaired yet. */
export async function assertIntact(db: OrganizationDb, key: string): Promise<void> {
  if (await store.isDamaged(db, key)) throw fileDamaged()
}

/** Organizations with files to repair, in order of their ids. */
export const organizationsToRepair = repairs.selectDueOrganizations
export const countRepairJobs = repairs.countRunning
export const claimRepair = repairs.claimDue
export const recordIntact = repairs.updateIntact
export const recordRepairJob = repairs.writeJob

/** A repair that always fails is made less and less often, but at least once a day. */
const REPAIR_BACKOFF = { firstSeconds: 60, secondsMax: 86_400 }

export const recordRepairFailure = (db: OrganizationDb, repair: repairs.FailedRepair) =>
  repairs.writeFailure(db, repair, REPAIR_BACKOFF)

/**
 * Announces a repair before it stores files, so that cleanup keeps them. An earlier repair that still runs cannot
 * publish any more. Returns false if another job repairs the files, or if they are no longer published or damaged.
 */
export const startRepair = repairs.updateRepairPrefix

/** How long viewers with an older playlist can continue after a repair. */
export const REPLACED_SECONDS = 86_400

/** Forgets the files that were replaced long ago, so that cleanup deletes them. */
export const forgetReplaced = (db: OrganizationDb, assetId: AssetId) =>
  repairs.deleteReplaced(db, assetId, REPLACED_SECONDS)

type Replacement = Attempt & { readonly replaced: string }

/**
 * Replaces the files of a prefix by those that a repair stored, and changes all references. Returns the assets whose
 * URLs have changed; undefined if another repair was started, or if the files were replaced or deleted in the
 * meantime. The caller has locked the asset.
 */
export async function replacePublished(
  tx: OrganizationDb,
  assetId: AssetId,
  { replaced, ...attempt }: Replacement,
): Promise<AssetId[] | undefined> {
  if (!(await repairs.updateReplaced(tx, { assetId, prefix: replaced }, attempt.prefix))) return undefined
  await recordPublished(tx, assetId, attempt)
  return moveReferences(tx, { assetId, from: replaced, to: attempt.prefix })
}
