/** Limits on what an organization stores and encodes. The operator sets them; starting an upload checks them. */
import type { OrganizationDb } from '../../platform/db/database.ts'
import { assertRoomForUpload, type Quotas } from './quotas.rules.ts'
import { findQuotas, lockQuotas, type QuotaLimits, updateQuotas } from './quotas.store.ts'

export type { QuotaLimits, Quotas }
export { assertRoomForUpload, findQuotas, lockQuotas }

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
