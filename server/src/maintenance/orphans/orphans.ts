/**
 * Finds stored objects that belong to no asset. An asset's row exists before its objects, so reading the bucket before
 * the rows never mistakes a new object for an orphan. Suspended organizations are skipped. An unknown organization may
 * be in another cell: it is reported as a whole and never deleted.
 */

import { type AssetId, isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import { findStored } from '../../modules/assets/assets.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import type { BucketObjects } from '../../platform/storage/bucket-objects.ts'
import { inBatches } from '../batches.ts'
import type { Buckets } from '../buckets.ts'
import { hostingState } from '../local-organizations.ts'

export type Orphan = {
  readonly bucket: 'uploads' | 'media'
  readonly prefix: string
  /** Undefined if the key is not in the service's format or the organization is unknown here. */
  readonly organizationId: OrganizationId | undefined
  readonly assetId: AssetId | undefined
  readonly objects: number
  readonly bytes: number
  /** When the newest object under the prefix was stored. */
  readonly newestAt: Date
}

/** An orphan of an organization hosted here. */
export type OrphanOfAsset = Orphan & {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
}

export const isOfAsset = (orphan: Orphan): orphan is OrphanOfAsset =>
  orphan.organizationId !== undefined && orphan.assetId !== undefined

/** Finds the orphans of a bucket. `onChecked` is called with the number of checked prefixes, orphans or not. */
export async function* findOrphans(
  database: Database,
  buckets: Buckets,
  onChecked: (prefixes: number) => void,
): AsyncGenerator<Orphan> {
  for (const bucket of ['uploads', 'media'] as const) {
    const { objects } = buckets[bucket]
    for await (const { prefix, ...ids } of unownedPrefixes(database, objects, onChecked)) {
      const found = await measure(objects, prefix)
      // If the count is 0, the objects were deleted after the listing.
      if (found.objects > 0) yield { bucket, prefix, ...ids, ...found }
    }
  }
}

type Unowned = Pick<Orphan, 'prefix' | 'organizationId' | 'assetId'>

const withoutOwner = (prefix: string): Unowned => ({
  ...{ prefix, organizationId: undefined, assetId: undefined },
})

async function* unownedPrefixes(
  database: Database,
  objects: BucketObjects,
  onChecked: (prefixes: number) => void,
): AsyncGenerator<Unowned> {
  for await (const ofOrganization of objects.prefixes('')) {
    const [organizationId = ''] = ofOrganization.split('/')
    const db = isOrganizationId(organizationId) ? database.forOrganization(organizationId) : undefined
    const state = db ? await hostingState(db) : 'unknown'
    if (state === 'unknown') yield withoutOwner(ofOrganization)
    if (!db || state !== 'active') continue
    for await (const prefixes of inBatches(objects.prefixes(ofOrganization))) {
      onChecked(prefixes.length)
      yield* await unownedOf(db, prefixes)
    }
  }
}

async function unownedOf(db: OrganizationDb, prefixes: readonly string[]): Promise<Unowned[]> {
  const owners = prefixes.map((prefix) => ({ prefix, assetId: assetOf(prefix) }))
  const ids = owners.map(({ assetId }) => assetId).filter((id) => id !== undefined)
  const known = new Set((await findStored(db, ids)).map(({ id }) => id))
  const { organizationId } = db
  return owners
    .filter(({ assetId }) => assetId === undefined || !known.has(assetId))
    .map((owner) => ({ ...owner, organizationId }))
}

function assetOf(prefix: string): AssetId | undefined {
  const [, asset = ''] = prefix.split('/')
  return isUuidKey([asset]) ? (asset as AssetId) : undefined
}

async function measure(objects: BucketObjects, prefix: string) {
  let [count, bytes, newest] = [0, 0, 0]
  for await (const object of objects.list(prefix)) {
    count += 1
    bytes += object.bytes
    newest = Math.max(newest, object.storedAt.getTime())
  }
  return { objects: count, bytes, newestAt: new Date(newest) }
}
