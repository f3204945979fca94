/** Limits on what an organization stores and encodes. The operator sets them; starting an upload checks them. */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { recordEvents } from '../events/events.ts'
import { quotaReached } from './quotas.events.ts'
import {
  assertRoomForAsset,
  assertRoomForRender,
  assertRoomForUpload,
  assertRoomForVersion,
  isSameLevels,
  type Quota,
  type Quotas,
  quotaNames,
  reachedLevels,
} from './quotas.rules.ts'
import {
  findQuotas,
  lockQuotas,
  type QuotaLimits,
  selectLevels,
  selectOrganizationsWithQuotas,
  updateLevels,
  updateQuotas,
} from './quotas.store.ts'

export type { Quota, QuotaLimits, Quotas }
export {
  assertRoomForAsset,
  assertRoomForRender,
  assertRoomForUpload,
  assertRoomForVersion,
  findQuotas,
  lockQuotas,
  quotaNames,
}

/** Changes the given limits and keeps the others. */
export async function setQuotas(db: OrganizationDb, changes: Partial<QuotaLimits>): Promise<Quotas> {
  return db.transaction(async (tx) => {
    const { storedBytes, assets, encodedMinutes, openSessions } = await lockQuotas(tx)
    await updateQuotas(tx, {
      storedBytes: storedBytes.limit,
      assets: assets.limit,
      encodedMinutes: encodedMinutes.limit,
      openSessions: openSessions.limit,
      ...changes,
    })
    return findQuotas(tx)
  })
}

/**
 * Records an event for each quota of which 80 % or 100 % is in use since the last call. The caller has locked the
 * quotas. Bytes that open upload sessions reserve do not count: a session without a known size reserves all.
 */
export async function recordReachedLevels(tx: OrganizationDb): Promise<void> {
  const { quotas, before } = await selectLevels(tx)
  const { levels, reached } = reachedLevels(quotas, before)
  if (isSameLevels(levels, before)) return
  await updateLevels(tx, levels)
  await recordEvents(tx, ...reached.map((level) => quotaReached(tx.organizationId, level)))
}

const ORGANIZATIONS_PER_PAGE = 100

/**
 * Records the events of all organizations with quotas. New upload sessions record theirs at once; this finds what
 * uploads, the pipeline and deletions have changed.
 */
export async function checkQuotaLevels(database: Database, signal: AbortSignal): Promise<void> {
  let after = ''
  do {
    const ids = await selectOrganizationsWithQuotas(database, after, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      if (signal.aborted) return
      await checkLevelsOf(database.forOrganization(id))
    }
    after = ids.length < ORGANIZATIONS_PER_PAGE ? '' : (ids.at(-1) ?? '')
  } while (after !== '')
}

const checkLevelsOf = (db: OrganizationDb): Promise<void> =>
  db
    .transaction(async (tx) => {
      await lockQuotas(tx)
      await recordReachedLevels(tx)
    })
    .catch((error: unknown) => {
      if (!isSuspended(error)) throw error
    })
