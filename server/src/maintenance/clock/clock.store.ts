import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

type MadeDue = { readonly rows: number; readonly hasMore: boolean }

const follow = dedicatedConnection(
  statement(
    ({ limit }: Given<{ limit: number }>) => sql<MadeDue>`
      select made_due as rows, has_more as "hasMore" from follow_clock(${limit})`,
  ),
)

/**
 * If the database's clock was set back, makes up to `limit` rows of each table due that would otherwise wait until it
 * reaches the earlier time.
 */
export async function makeLateRowsDue(database: Database, limit: number): Promise<MadeDue> {
  const [row] = await database.runUnscoped(follow({ limit }))
  return row ?? { rows: 0, hasMore: false }
}
