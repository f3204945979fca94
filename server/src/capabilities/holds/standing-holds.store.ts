import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'

export type StandingHolds = {
  /** Organizations that callers find held, and since when the first of them has been. */
  readonly held: number
  readonly heldSeconds: number
  /** Those that live elsewhere stay in the list until they are forgotten. */
  readonly gone: number
}

const standing = takesLong(
  statement(
    (_: Given<object>) => sql<StandingHolds>`
    select count(*) filter (where not is_gone)::int as held, count(*) filter (where is_gone)::int as gone,
      coalesce(extract(epoch from now() - min(since) filter (where not is_gone)), 0)::float8 as "heldSeconds"
    from standing_holds`,
  ),
)

export async function standingHolds(database: Database): Promise<StandingHolds> {
  const [found] = await database.ask(standing({}))
  return found ?? { held: 0, heldSeconds: 0, gone: 0 }
}
