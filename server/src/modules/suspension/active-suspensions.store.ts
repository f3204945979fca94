import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

export type ActiveSuspensions = {
  /** Suspended organizations whose requests are routed here, and the age of the longest suspension. */
  readonly suspended: number
  readonly suspendedSeconds: number
  /** Organizations that another cell hosts, until their rows are deleted here. */
  readonly migrated: number
}

const active = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<ActiveSuspensions>`
    select count(*) filter (where not is_gone)::int as suspended, count(*) filter (where is_gone)::int as migrated,
      coalesce(extract(epoch from now() - min(since) filter (where not is_gone)), 0)::float8 as "suspendedSeconds"
    from standing_holds`,
  ),
)

export async function activeSuspensions(database: Database): Promise<ActiveSuspensions> {
  const [found] = await database.runUnscoped(active({}))
  return found ?? { suspended: 0, suspendedSeconds: 0, migrated: 0 }
}
