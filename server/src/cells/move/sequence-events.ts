import { hasUnsequenced, type OnSequenced, sequenceEvents } from '../../modules/events/events.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { MoveRefused } from './move-refused.ts'

/**
 * Sequences all waiting events; throws if some are left. Events are ordered by the WAL of their database, and that
 * order is lost in another database.
 */
export async function sequenceAll(db: OrganizationDb, onSequenced: OnSequenced): Promise<void> {
  await sequenceEvents(db, onSequenced)
  if (await hasUnsequenced(db)) {
    throw new MoveRefused(
      'More events are waiting to be sequenced than fit into one batch. The organization stays in service; ' +
        'run the command again in a moment.',
    )
  }
}
