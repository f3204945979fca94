import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../db/statement.ts'

type Addition = { readonly key: string; readonly points: number; readonly windowSeconds: number }

/** It waits for concurrent requests of the same key, which lock the row. */
const add = dedicatedConnection(
  statement(
    ({ key, points, windowSeconds }: Given<Addition>) => sql<{ total: number; secondsLeft: number }>`
      select total::float8 as total, seconds_left as "secondsLeft"
      from add_rate_limit_points(${key}, ${points}::integer, ${windowSeconds}::integer)`,
  ),
)

/** Adds points to a counter that all instances share, and returns its state. */
export async function addPoints(database: Database, addition: Addition) {
  const [counted] = await database.runUnscoped(add(addition))
  if (!counted) throw new Error('add_rate_limit_points returned no row')
  return counted
}
