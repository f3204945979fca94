/**
 * Deletes orphans: of organizations hosted here, old enough, not too many at once, and only if they are still
 * orphans.
 */
import { findStored } from '../../modules/assets/assets.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Buckets } from '../buckets.ts'
import { isAttended } from '../local-organizations.ts'
import { isOldEnough, whyKept } from './delete-orphans.rules.ts'
import { noteOrphans } from './orphan-dates.ts'
import { isOfAsset, type Orphan, type OrphanOfAsset } from './orphans.ts'

export type FreeWish = {
  readonly kind: 'live' | 'backup'
  readonly orphansMax: number | undefined
  readonly now: Date
}

export type FoundOrphans = {
  readonly rows: readonly Orphan[]
  /** Number of orphans below organizations, and of checked prefixes. */
  readonly ofAssets: number
  readonly seen: number
}

export type Freed = {
  readonly freed: number
  /** Message for the operator why nothing was deleted. */
  readonly refusal: string | undefined
}

export async function freeOrphans(
  database: Database,
  buckets: Buckets,
  { rows, ofAssets, seen }: FoundOrphans,
  { kind, orphansMax, now }: FreeWish,
): Promise<Freed> {
  const orphans = rows.filter(isOfAsset)
  const noted = kind === 'backup' ? await noteOrphans(buckets.media, orphans, now) : undefined
  const refusal = whyKept({ orphans: ofAssets, seen, orphansMax })
  if (refusal !== undefined) return { freed: 0, refusal }
  let freed = 0
  for (const orphan of orphans) {
    const since = noted ? noted(orphan) : orphan.newestAt
    if (!isOldEnough(kind, since, now) || !(await isStillOrphan(database, orphan))) continue
    if (await freeAll(buckets, orphan)) freed += 1
  }
  return { freed, refusal }
}

/** Hours may have passed since it was found: a migration may have started, or a database been restored. */
async function isStillOrphan(
  database: Database,
  { organizationId, assetId }: OrphanOfAsset,
): Promise<boolean> {
  const db = database.forOrganization(organizationId)
  return (await isAttended(db)) && (await findStored(db, [assetId])).length === 0
}

/** Each deletes twenty thousand objects: more than any video has. */
const ROUNDS_MAX = 100

async function freeAll(buckets: Buckets, { bucket, prefix }: Orphan): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (await buckets[bucket].free(prefix)) return true
  }
  return false
}
