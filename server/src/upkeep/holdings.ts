/**
 * What an organization has in storage, as its rows tell it. Everything of an asset lies under one
 * prefix in each bucket: among the uploads it is the version that was taken, in the media bucket
 * all that lies there.
 */
import {
  findStored,
  pageStored,
  type StoredAsset,
  storagePrefix,
} from '../capabilities/assets/assets.ts'
import type { AssetId } from '../kernel/ids.ts'
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
  /** Every object under it; there may be none. */
  readonly prefix: string
}

/** Something in storage that belongs to an asset. */
export type Holding = SourceHolding | MediaHolding

/** Assets read at a time. */
const STRETCH = 500

/** Of all assets, or of those of these that there are. What comes into being meanwhile may or may not be among them. */
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
