/** Deletes orphans of organizations hosted here, if they are old enough, not too many at once, and still orphans. */
import { findStored } from '../../modules/assets/assets.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Buckets } from '../buckets.ts'
import { isActive } from '../local-organizations.ts'
import { isOldEnough, refusalOf } from './delete-orphans.rules.ts'
import { recordOrphans } from './orphan-dates.ts'
import { isOfAsset, type Orphan, type OrphanOfAsset } from './orphans.ts'

export type DeleteOrphansOptions = {
  readonly kind: 'live' | 'backup'
  readonly orphansMax: number | undefined
  readonly now: Date
}

export type FoundOrphans = {
  readonly rows: readonly Orphan[]
  /** Number of orphans of organizations hosted here, and number of checked prefixes. */
  readonly ofAssets: number
  readonly checked: number
}

export type DeletedOrphans = {
  readonly deleted: number
  /** Message for the operator that explains why nothing was deleted. */
  readonly refusal: string | undefined
}

export async function deleteOrphans(
  { database, buckets }: { readonly database: Database; readonly buckets: Buckets },
  { rows, ofAssets, checked }: FoundOrphans,
  { kind, orphansMax, now }: DeleteOrphansOptions,
): Promise<DeletedOrphans> {
  const orphans = rows.filter(isOfAsset)
  const sinceOf = kind === 'backup' ? await recordOrphans(buckets.media, orphans, now) : undefined
  const refusal = refusalOf({ orphans: ofAssets, checked, orphansMax })
  if (refusal !== undefined) return { deleted: 0, refusal }
  let deleted = 0
  for (const orphan of orphans) {
    const since = sinceOf ? sinceOf(orphan) : orphan.newestAt
    if (!isOldEnough(kind, since, now) || !(await isStillOrphan(database, orphan))) continue
    if (await deleteAllObjects(buckets, orphan)) deleted += 1
  }
  return { deleted, refusal }
}

/** Hours may have passed since the orphan was found: a migration may have started, or a database been restored. */
async function isStillOrphan(database: Database, { organizationId, assetId }: OrphanOfAsset): Promise<boolean> {
  const db = database.forOrganization(organizationId)
  return (await isActive(db)) && (await findStored(db, [assetId])).length === 0
}

/** Maximum number of rounds that delete an orphan. Each deletes up to 20,000 objects, and no video has more. */
const ROUNDS_MAX = 100

async function deleteAllObjects(buckets: Buckets, { bucket, prefix }: Orphan): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (await buckets[bucket].deleteAll(prefix)) return true
  }
  return false
}
