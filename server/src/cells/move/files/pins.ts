/** Pins assets to the versions of their files in the destination storage. */
import type { AssetId } from '../../../kernel/ids.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { selectUnpinned, type Unpinned, writePin } from './pins.store.ts'

const STRETCH = 500
const AT_ONCE = 16

/** Assets whose file is not pinned here yet. */
export async function listUnpinned(db: OrganizationDb): Promise<AssetId[]> {
  const ids: AssetId[] = []
  for await (const stretch of unpinnedStretches(db)) ids.push(...stretch.map(({ id }) => id))
  return ids
}

/** Pins all files that have arrived. Returns the assets whose file is missing. May be repeated. */
export async function pinArrived(
  db: OrganizationDb,
  uploads: UploadsBucket,
  signal: AbortSignal,
): Promise<AssetId[]> {
  const missing: AssetId[] = []
  const pinOne = async ({ id, key, bytes }: Unpinned) => {
    const found = await uploads.findFirst(key, (stored) => stored.bytes === bytes)
    if (found?.bytes === bytes) await writePin(db, { id, ...found })
    else missing.push(id)
  }
  for await (const stretch of unpinnedStretches(db)) {
    await forEachConcurrently(stretch, { concurrency: AT_ONCE, signal }, pinOne)
  }
  return missing
}

async function* unpinnedStretches(db: OrganizationDb): AsyncGenerator<readonly Unpinned[]> {
  let after: AssetId | null = null
  do {
    const unpinned: readonly Unpinned[] = await selectUnpinned(db, after, STRETCH)
    yield unpinned
    after = unpinned.length < STRETCH ? null : (unpinned.at(-1)?.id ?? null)
  } while (after !== null)
}
