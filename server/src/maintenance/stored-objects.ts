/**
 * The stored objects of an organization according to its rows. Everything of an asset is under one prefix in each
 * bucket: in uploads the pinned version, in media all objects.
 */

import type { AssetId } from '../kernel/ids.ts'
import {
  findStored,
  pageStored,
  type StoredAsset,
  storagePrefix,
} from '../modules/assets/assets.ts'
import type { OrganizationDb } from '../platform/db/database.ts'

export type SourceHolding = {
  readonly bucket: 'uploads'
  readonly assetId: AssetId
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
}

export type MediaHolding = {
  readonly bucket: 'media'
  readonly assetId: AssetId
  /** All objects under it; there may be none. */
  readonly prefix: string
}

/** A stored object, or a prefix, of an asset. */
export type Holding = SourceHolding | MediaHolding

/** Assets per query. */
const STRETCH = 500

/** For all assets, or the existing ones of these. Assets created during this may be missing. */
export async function* listHoldings(
  db: OrganizationDb,
  assetIds?: readonly AssetId[],
): AsyncGenerator<Holding> {
  for await (const asset of listAssets(db, assetIds)) yield* holdingsOf(db, asset)
}

export async function* listAssets(
  db: OrganizationDb,
  assetIds?: readonly AssetId[],
): AsyncGenerator<StoredAsset> {
  if (assetIds) {
    for (let at = 0; at < assetIds.length; at += STRETCH) {
      yield* await findStored(db, assetIds.slice(at, at + STRETCH))
    }
    return
  }
  let after: AssetId | null = null
  do {
    const assets: readonly StoredAsset[] = await pageStored(db, after, STRETCH)
    yield* assets
    after = assets.length < STRETCH ? null : (assets.at(-1)?.id ?? null)
  } while (after !== null)
}

function* holdingsOf({ organizationId }: OrganizationDb, asset: StoredAsset): Generator<Holding> {
  const { id: assetId, source } = asset
  if (source) {
    const { key, version, etag, bytes } = source
    yield { bucket: 'uploads', assetId, key, version, etag, bytes }
  }
  yield { bucket: 'media', assetId, prefix: storagePrefix(organizationId, assetId) }
}
