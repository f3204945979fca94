/** Sizes and checksums of the published files in the media bucket, as they were sent to storage. */
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PutResult } from '../../platform/storage/media-bucket.ts'
import { deleteReplaced, moveReferences } from './file-references.store.ts'
import { readIntact } from './intact-file.ts'
import { fileDamaged } from './published-files.rules.ts'
import * as store from './published-files.store.ts'

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

/** The files that were not checked since `before`, the longest unchecked first. */
export async function oldestChecked(db: OrganizationDb, before: Date, limit: number): Promise<PublishedFiles[]> {
  return (await store.selectOldestChecked(db, before, limit)).map(toFiles)
}

/** All published files of an asset. */
export async function listPublished(db: OrganizationDb, assetId: AssetId): Promise<PublishedFiles[]> {
  return (await store.selectRows(db, assetId)).map(toFiles)
}

export const pageOrganizations = store.pageOrganizations
export const organizationsToCheck = store.selectOrganizations
export const countDamaged = store.countDamaged
export const recordCheck = store.updateCheck
export const postponeCheck = store.postponeCheck

/** Whether a file of the asset is damaged and not repaired yet. */
export const hasDamage = store.hasDamage

/** Throws 503 if storage has damaged the file and it is not repaired yet. */
export async function assertIntact(db: OrganizationDb, key: string): Promise<void> {
  if (await store.isDamaged(db, key)) throw fileDamaged()
}

/**
 * Announces a repair before it stores files, so that cleanup keeps them. An earlier repair that still runs cannot
 * publish any more. Returns false if the files are no longer published.
 */
export const startRepair = store.updateRepairPrefix

type Replacement = Attempt & { readonly replaced: string }

/**
 * Replaces the files of a prefix by those that a repair stored, and changes all references. Returns false if another
 * repair was started, or if the files were replaced or deleted in the meantime. The caller has locked the asset.
 */
export async function replacePublished(
  tx: OrganizationDb,
  assetId: AssetId,
  { replaced, ...attempt }: Replacement,
): Promise<boolean> {
  const move = { assetId, from: replaced, to: attempt.prefix }
  if (!(await deleteReplaced(tx, move))) return false
  await recordPublished(tx, assetId, attempt)
  await moveReferences(tx, move)
  return true
}
