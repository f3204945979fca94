/**
 * From the buckets to the database: what lies in storage and belongs to no asset. An asset's row is
 * there before anything of it is stored, so whoever reads the bucket first and the rows then takes
 * nothing that is new for something that was forgotten. Of an organization that is held nothing is
 * an orphan. One that is unknown here may live in another cell: it is named as a whole, and nobody
 * deletes it.
 */
import { findStored } from '../capabilities/assets/assets.ts'
import { type AssetId, isOrganizationId, type OrganizationId } from '../kernel/ids.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isUuidKey } from '../platform/db/keyset.ts'
import type { BucketObjects } from '../platform/storage/bucket-objects.ts'
import { standingOf } from './attended.ts'
import type { Buckets } from './buckets.ts'
import { inStretches } from './stretches.ts'

export type Orphan = {
  readonly bucket: 'uploads' | 'media'
  readonly prefix: string
  /** Undefined where the name is not one that the service gives, or the organization is not known here. */
  readonly organizationId: OrganizationId | undefined
  readonly assetId: AssetId | undefined
  readonly objects: number
  readonly bytes: number
  /** When the newest of it was stored. */
  readonly newestAt: Date
}

/** What an asset of an organization that lives here may have left. */
export type OrphanOfAsset = Orphan & {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
}

export const isOfAsset = (orphan: Orphan): orphan is OrphanOfAsset =>
  orphan.organizationId !== undefined && orphan.assetId !== undefined

/** `onSeen` is told how many places of assets were looked at, orphans and others. */
export async function* findOrphans(
  database: Database,
  buckets: Buckets,
  onSeen: (places: number) => void,
): AsyncGenerator<Orphan> {
  for (const bucket of ['uploads', 'media'] as const) {
    const { objects } = buckets[bucket]
    for await (const { prefix, ...ids } of unowned(database, objects, onSeen)) {
      const found = await measure(objects, prefix)
      // Freed since it was listed.
      if (found.objects > 0) yield { bucket, prefix, ...ids, ...found }
    }
  }
}

type Unowned = Pick<Orphan, 'prefix' | 'organizationId' | 'assetId'>

const ofNobody = (prefix: string): Unowned => ({
  ...{ prefix, organizationId: undefined, assetId: undefined },
})

async function* unowned(
  database: Database,
  objects: BucketObjects,
  onSeen: (places: number) => void,
): AsyncGenerator<Unowned> {
  for await (const ofOrganization of objects.prefixes('')) {
    const [organizationId = ''] = ofOrganization.split('/')
    const db = isOrganizationId(organizationId)
      ? database.forOrganization(organizationId)
      : undefined
    const standing = db ? await standingOf(db) : 'unknown'
    if (standing === 'unknown') yield ofNobody(ofOrganization)
    if (!db || standing !== 'attended') continue
    for await (const prefixes of inStretches(objects.prefixes(ofOrganization))) {
      onSeen(prefixes.length)
      yield* await unownedOf(db, prefixes)
    }
  }
}

async function unownedOf(db: OrganizationDb, prefixes: readonly string[]): Promise<Unowned[]> {
  const places = prefixes.map((prefix) => ({ prefix, assetId: assetOf(prefix) }))
  const ids = places.map(({ assetId }) => assetId).filter((id) => id !== undefined)
  const known = new Set((await findStored(db, ids)).map(({ id }) => id))
  const { organizationId } = db
  return places
    .filter(({ assetId }) => assetId === undefined || !known.has(assetId))
    .map((place) => ({ ...place, organizationId }))
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
