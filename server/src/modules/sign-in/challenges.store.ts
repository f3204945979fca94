import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type Challenge = { readonly hash: Buffer; readonly kind: string }

type NewChallenge = Challenge & {
  readonly browserHash: Buffer | null
  /** JSON. */
  readonly content: string
  readonly lifetimeSeconds: number
}

const add = statement(
  ({ hash, kind, browserHash, content, lifetimeSeconds }: Given<NewChallenge>) => sql<{ isNew: boolean | null }>`
    select people.add_challenge(${hash}, ${kind}, ${browserHash}, ${content}::jsonb, ${lifetimeSeconds}::integer)
      as "isNew"`,
)

/** Returns false if the value exists already. */
export async function insertChallenge(database: Database, challenge: NewChallenge): Promise<boolean> {
  const [row] = await database.runUnscoped(add(challenge))
  return row?.isNew === true
}

const take = statement(
  ({ hash, kind, browserHash }: Given<Challenge & { browserHash: Buffer }>) => sql<{ content: unknown }>`
    select people.take_challenge(${hash}, ${kind}, ${browserHash}) as content`,
)

/** Deletes a challenge and returns its content; null if there is none. */
export async function deleteChallenge(database: Database, challenge: Challenge & { browserHash: Buffer }) {
  const [row] = await database.runUnscoped(take(challenge))
  return row?.content ?? null
}
