/**
 * Relinks assets to the versions of copied files. A copy has another version in its bucket: the asset is pinned to
 * the first version under its key with the same content.
 */
import pMap from 'p-map'
import type { AssetId } from '../../kernel/ids.ts'
import { relinkSource, type Source, type StoredAsset } from '../../modules/assets/assets.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { StoredObject, UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import type { Buckets } from '../buckets.ts'
import { isSameContent } from '../same-content.rules.ts'
import { listAssets } from '../stored-objects.ts'

export type Repinned = {
  readonly repinned: number
  /** Assets whose file is not in the bucket, in any version. */
  readonly missing: readonly AssetId[]
}

/** Concurrent checks. */
const SOURCES_AT_ONCE = 8

/** May be repeated: assets pinned to a version of this bucket stay so. */
export async function repin(
  db: OrganizationDb,
  { uploads }: Pick<Buckets, 'uploads'>,
): Promise<Repinned> {
  const missing: AssetId[] = []
  let repinned = 0
  const relink = async ({ id, source }: StoredAsset) => {
    if (!source || (await isHere(uploads, source))) return
    const found = await findCopy(uploads, source)
    if (!found) missing.push(id)
    else if (await relinkSource(db, id, source, found)) repinned += 1
  }
  await pMap(listAssets(db), relink, { concurrency: SOURCES_AT_ONCE })
  return { repinned, missing }
}

async function isHere({ objects }: UploadsBucket, source: Source): Promise<boolean> {
  return isSameContent(source, await objects.find(source))
}

async function findCopy(uploads: UploadsBucket, source: Source): Promise<StoredObject | undefined> {
  const found = await uploads.findFirst(source.key, (stored) => isSameContent(source, stored))
  if (!found || isSameContent(source, found)) return found
  // Listings also have ETags of encrypted objects, where they are no content hashes.
  return isSameContent(source, await uploads.objects.find(found)) ? found : undefined
}
