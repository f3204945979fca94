import type { OrganizationId } from '../../kernel/ids.ts'
import { organizationsWithLogs, verifyEntries } from '../../modules/audit/audit.ts'
import { requireOrganization } from '../../modules/organizations/organizations.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Commands } from './command.ts'

export const auditCommands = {
  'verify-audit': async (database, { positionals: [organization] }, _, io) => {
    const results = []
    for await (const id of organizationsOf(database, organization)) {
      const { checked, head, broken } = await verifyEntries(database.forOrganization(id))
      if (broken) io.exitCode = 1
      const result = broken ? `broken at entry ${broken.number}: ${broken.problem}` : 'intact'
      results.push({ organization: id, entries: checked, last: `${head.number}:${head.hash}`, result })
    }
    return { audit_logs: results }
  },
} satisfies Commands

async function* organizationsOf(database: Database, given: string | undefined): AsyncGenerator<OrganizationId> {
  if (given === undefined) yield* organizationsWithLogs(database)
  else yield (await requireOrganization(database, given)).organizationId
}
