import type { OrganizationId } from '../../kernel/ids.ts'
import { recordEntries, systemActor } from '../../modules/audit/audit.ts'
import { migratorDb } from '../../modules/suspension/suspension.ts'
import type { OpenCell } from './open-cell.ts'

type MoveCommand = 'move-organization' | 'cancel-move' | 'delete-moved-organization'

/** Records a command in the audit log of the organization, also while it is suspended. */
export const recordMoveCommand = (
  { database }: Pick<OpenCell, 'database'>,
  id: OrganizationId,
  command: MoveCommand,
): Promise<void> =>
  recordEntries(migratorDb(database, id), [
    {
      ...{ actor: systemActor('operator'), action: `admin.${command}`, object: { type: 'organization', id } },
      ...{ outcome: 'success', errorCode: null, address: null, userAgent: null, requestId: null, ageMilliseconds: 0 },
    },
  ])
