/** Statements of the owner, who can read the accounts. */
import { sql } from 'kysely'
import type { Database } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

type TotpRow = { readonly id: string; readonly secret: Buffer; readonly keyId: string }

const withOtherKeys = statement(
  ({ current, limit }: Given<{ current: string; limit: number }>) => sql<TotpRow>`
    select id, totp_secret as secret, totp_key_id as "keyId" from people.accounts
    where totp_key_id <> ${current} order by id limit ${limit}`,
)

export const selectTotpWithOtherKeys = (database: Database, current: string, limit: number): Promise<TotpRow[]> =>
  database.runUnscoped(withOtherKeys({ current, limit }))

type Rewrapped = TotpRow & { readonly before: Buffer }

// The secret may have been replaced or removed since it was read.
const replace = statement(
  ({ id, before, secret, keyId }: Given<Rewrapped>) => sql`
    update people.accounts set totp_secret = ${secret}, totp_key_id = ${keyId}
    where id = ${id} and totp_secret = ${before}`,
)

export async function updateTotpSecret(database: Database, row: Rewrapped): Promise<void> {
  await database.runUnscoped(replace(row))
}
