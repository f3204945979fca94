/**
 * Relinks assets to the versions of copied files. A copy has another version id in its bucket: the asset is linked to
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

export type Relinked = {
  readonly relinked: number
  /** Assets whose file is not in the bucket, in any version. */
  readonly missing: readonly AssetId[]
}

/** Number of source files checked concurrently. */
const SOURCES_AT_ONCE = 8

/** Relinks all assets. May be repeated: an asset that is linked to a version of this bucket keeps its link. */
export async function relinkVersions(db: OrganizationDb, { uploads }: Pick<Buckets, 'uploads'>): Promise<Relinked> {
  const missing: AssetId[] = []
  let relinked = 0
  const relink = async ({ id, source }: StoredAsset) => {
    if (!source || (await isLinked(uploads, source))) return
    const found = await findCopy(uploads, source)
    if (!found) missing.push(id)
    else if (await relinkSource(db, id, source, found)) relinked += 1
  }
  await pMap(listAssets(db), relink, { concurrency: SOURCES_AT_ONCE })
  return { relinked, missing }
}

async function isLinked({ objects }: UploadsBucket, source: Source): Promise<boolean> {
  return isSameContent(source, await objects.find(source))
}

async function findCopy(uploads: UploadsBucket, source: Source): Promise<StoredObject | undefined> {
  const found = await uploads.findFirst(source.key, (stored) => isSameContent(source, stored))
  if (!found || isSameContent(source, found)) return found
  // Listings do not show whether an object is encrypted. The ETag of an encrypted object is not a content hash.
  return isSameContent(source, await uploads.objects.find(found)) ? found : undefined
}
