import { hasUnsealed, sealEntries } from '../../modules/audit/audit.ts'
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

/** Seals all audit entries; throws if some are left. Like events, they are ordered by the WAL of their database. */
export async function sealAll(db: OrganizationDb): Promise<void> {
  await sealEntries(db)
  if (await hasUnsealed(db)) {
    throw new MoveRefused(
      'More audit entries are waiting to be sealed than fit into one batch. The organization stays in service; ' +
        'run the command again in a moment.',
    )
  }
}
