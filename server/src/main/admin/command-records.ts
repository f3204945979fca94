/** Records of what admin commands do, in the audit logs of the organizations concerned. */
import type { OrganizationId } from '../../kernel/ids.ts'
import { changeRecord, type NewEntry, recordEntries, systemActor } from '../../modules/audit/audit.ts'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'

const entryOf = (command: string, organizationId: OrganizationId): NewEntry => ({
  ...{
    actor: systemActor('operator'),
    action: `admin.${command}`,
    object: { type: 'organization', id: organizationId },
  },
  ...{ outcome: 'success', errorCode: null, address: null, userAgent: null, requestId: null },
})

/** Returns the record of a command for each organization that it changes: one, however much it changes. */
export function commandRecords(command: string): (organizationId: OrganizationId) => ChangeRecord {
  const records = new Map<OrganizationId, ChangeRecord>()
  return (organizationId) => {
    const record = records.get(organizationId) ?? changeRecord(() => entryOf(command, organizationId))
    records.set(organizationId, record)
    return record
  }
}

/**
 * Records a command that suspends or resumes an organization, while the organization can be written to: before the
 * suspension or after its end.
 */
export const recordCommand = (db: OrganizationDb, command: string): Promise<void> =>
  recordEntries(db, [{ ...entryOf(command, db.organizationId), ageMilliseconds: 0 }])
