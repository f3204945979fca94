/** Links assets to the versions of their files in the destination storage. */
import type { AssetId } from '../../../kernel/ids.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { selectUnlinked, type Unlinked, updateVersion } from './version-links.store.ts'

const BATCH_SIZE = 500
const ASSETS_AT_ONCE = 16

/** Returns the assets that are not linked to a version in the destination storage yet. */
export async function listUnlinked(db: OrganizationDb): Promise<AssetId[]> {
  const ids: AssetId[] = []
  for await (const batch of unlinkedBatches(db)) ids.push(...batch.map(({ id }) => id))
  return ids
}

/** Links all assets whose file has arrived. Returns the assets whose file is missing. May be repeated. */
export async function linkVersions(
  db: OrganizationDb,
  uploads: UploadsBucket,
  signal: AbortSignal,
): Promise<AssetId[]> {
  const missing: AssetId[] = []
  const linkOne = async ({ id, key, bytes }: Unlinked) => {
    const found = await uploads.findFirst(key, (stored) => stored.bytes === bytes)
    if (found?.bytes === bytes) await updateVersion(db, { id, ...found })
    else missing.push(id)
  }
  for await (const batch of unlinkedBatches(db)) {
    await forEachConcurrently(batch, { concurrency: ASSETS_AT_ONCE, signal }, linkOne)
  }
  return missing
}

async function* unlinkedBatches(db: OrganizationDb): AsyncGenerator<readonly Unlinked[]> {
  let after: AssetId | null = null
  do {
    const unlinked: readonly Unlinked[] = await selectUnlinked(db, after, BATCH_SIZE)
    yield unlinked
    after = unlinked.length < BATCH_SIZE ? null : (unlinked.at(-1)?.id ?? null)
  } while (after !== null)
}
