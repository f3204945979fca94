/**
 * A file that was copied to another bucket has another version there. Its asset is pinned to the
 * first version under its key that is the same file; after that it is read from this bucket as if
 * it had always been there.
 */
import { repinSource, type Source } from '../capabilities/assets/assets.ts'
import type { AssetId } from '../kernel/ids.ts'
import type { OrganizationDb } from '../platform/db/database.ts'
import type { StoredObject, UploadsBucket } from '../platform/storage/uploads-bucket.ts'
import type { Buckets } from './buckets.ts'
import { listAssets } from './holdings.ts'
import { isSameContent } from './same-file.rules.ts'

export type Repinned = {
  readonly repinned: number
  /** Whose file is not in the bucket, by any version. */
  readonly missing: readonly AssetId[]
}

/** Asked about at a time. */
const SOURCES_AT_ONCE = 8

/** May be repeated: what is pinned to a version of this bucket stays so. */
export async function repin(
  db: OrganizationDb,
  { uploads }: Pick<Buckets, 'uploads'>,
): Promise<Repinned> {
  const missing: AssetId[] = []
  let repinned = 0
  const assets = listAssets(db)
  const work = async () => {
    for await (const { id, source } of assets) {
      if (!source || (await isHere(uploads, source))) continue
      const found = await findCopy(uploads, source)
      if (!found) missing.push(id)
      else if (await repinSource(db, id, source, found)) repinned += 1
    }
  }
  await Promise.all(Array.from({ length: SOURCES_AT_ONCE }, work))
  return { repinned, missing }
}

async function isHere({ objects }: UploadsBucket, source: Source): Promise<boolean> {
  return isSameContent(source, await objects.find(source))
}

async function findCopy(uploads: UploadsBucket, source: Source): Promise<StoredObject | undefined> {
  const found = await uploads.findFirst(source.key, (stored) => isSameContent(source, stored))
  if (!found || isSameContent(source, found)) return found
  // A list has ETags also of what is encrypted, where they tell nothing.
  return isSameContent(source, await uploads.objects.find(found)) ? found : undefined
}
