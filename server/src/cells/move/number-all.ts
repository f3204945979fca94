import { hasUnnumbered, type OnNumbered, settleEvents } from '../../capabilities/events/events.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { MoveRefused } from './move-refused.ts'

/**
 * Every event that waits gets its number, or nothing is moved: what waits is put in order by the
 * journal of its own database, which means nothing in another.
 */
export async function numberAll(db: OrganizationDb, onNumbered: OnNumbered): Promise<void> {
  await settleEvents(db, onNumbered)
  if (await hasUnnumbered(db)) {
    throw new MoveRefused(
      'More events wait for their numbers than are numbered in one go. Callers go on; run this again in a moment.',
    )
  }
}
