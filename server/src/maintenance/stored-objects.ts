/**
 * The stored objects of an organization according to its rows. All objects of an asset are under one prefix in each
 * bucket: the linked version in the uploads bucket, and all objects in the media bucket.
 */

import type { AssetId } from '../kernel/ids.ts'
import { findStored, pageStored, type StoredAsset, storagePrefix } from '../modules/assets/assets.ts'
import type { OrganizationDb } from '../platform/db/database.ts'

export type StoredSource = {
  readonly bucket: 'uploads'
  readonly assetId: AssetId
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
}

export type StoredMedia = {
  readonly bucket: 'media'
  readonly assetId: AssetId
  /** Prefix of all media objects of the asset, which may have none. */
  readonly prefix: string
}

/** The source file of an asset, or the prefix of its media objects. */
export type StoredItem = StoredSource | StoredMedia

/** Assets per query. */
const BATCH_SIZE = 500

/**
 * Lists the stored objects of all assets, or of the given assets that exist. Assets created in the meantime may be
 * missing.
 */
export async function* listStoredItems(db: OrganizationDb, assetIds?: readonly AssetId[]): AsyncGenerator<StoredItem> {
  for await (const asset of listAssets(db, assetIds)) yield* itemsOf(db, asset)
}

export async function* listAssets(db: OrganizationDb, assetIds?: readonly AssetId[]): AsyncGenerator<StoredAsset> {
  if (assetIds) {
    for (let at = 0; at < assetIds.length; at += BATCH_SIZE) {
      yield* await findStored(db, assetIds.slice(at, at + BATCH_SIZE))
    }
    return
  }
  let after: AssetId | null = null
  do {
    const assets: readonly StoredAsset[] = await pageStored(db, after, BATCH_SIZE)
    yield* assets
    after = assets.length < BATCH_SIZE ? null : (assets.at(-1)?.id ?? null)
  } while (after !== null)
}

function* itemsOf({ organizationId }: OrganizationDb, asset: StoredAsset): Generator<StoredItem> {
  const { id: assetId, source } = asset
  if (source) {
    const { key, version, etag, bytes } = source
    yield { bucket: 'uploads', assetId, key, version, etag, bytes }
  }
  yield { bucket: 'media', assetId, prefix: storagePrefix(organizationId, assetId) }
}
