import { sql } from 'kysely'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, type Query, statement } from '../../../platform/db/statement.ts'

/** Runs queries of accounts: the database, or the transaction of an organization that a person joins. */
export type AccountsDb = Database | OrganizationDb

async function first<Row>(db: AccountsDb, query: Query<Row>): Promise<Row | undefined> {
  const [row] = 'runUnscoped' in db ? await db.runUnscoped(query) : (await db.run(query))[0]
  return row
}

export type AttemptKeys = { readonly networkKey: Buffer; readonly accountKey: Buffer; readonly knownKey: Buffer }

type Attempt = AttemptKeys & {
  readonly emailKey: string
  readonly accountMax: number
  readonly networkMax: number
  readonly lockSeconds: number
}

type AttemptRow = {
  readonly isLocked: boolean
  readonly accountId: string | null
  readonly email: string | null
  readonly name: string | null
  readonly passwordHash: string | null
  readonly totpSecret: Buffer | null
  readonly totpKeyId: string | null
}

/** Concurrent attempts for one account wait for the row of its counter. */
const begin = dedicatedConnection(
  statement(
    (given: Given<Attempt>) => sql<AttemptRow>`
      select is_locked as "isLocked", account_id as "accountId", email, name, password_hash as "passwordHash",
        totp_secret as "totpSecret", totp_key_id as "totpKeyId"
      from people.begin_password_sign_in(
        ${given.emailKey}, ${given.networkKey}, ${given.accountKey}, ${given.knownKey},
        ${given.accountMax}::integer, ${given.networkMax}::integer, ${given.lockSeconds}::integer)`,
  ),
)

/** Counts an attempt and reads the account. */
export async function beginPasswordSignIn(database: Database, attempt: Attempt): Promise<AttemptRow> {
  const row = await first(database, begin(attempt))
  if (!row) throw new Error('people.begin_password_sign_in returned no row')
  return row
}

const record = statement(
  ({ id, networkKey, accountKey, knownKey }: Given<AttemptKeys & { id: string }>) => sql`
    select people.record_sign_in(${id}, ${networkKey}, ${accountKey}, ${knownKey})`,
)

/** Resets the counters of an account and remembers the network. */
export async function recordSignIn(database: Database, id: string, keys: AttemptKeys): Promise<void> {
  await database.runUnscoped(record({ id, ...keys }))
}

type NewAccount = {
  readonly id: string
  readonly email: string
  readonly emailKey: string
  readonly name: string
  readonly passwordHash: string | null
}

const create = statement(
  ({ id, email, emailKey, name, passwordHash }: Given<NewAccount>) => sql<{ isNew: boolean | null }>`
    select people.create_account(${id}, ${email}, ${emailKey}, ${name}, ${passwordHash}) as "isNew"`,
)

/** Returns false if the address has an account. */
export const insertAccount = async (db: AccountsDb, account: NewAccount): Promise<boolean> =>
  (await first(db, create(account)))?.isNew === true

export type AccountRow = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly totpSecret: Buffer | null
  readonly totpKeyId: string | null
  readonly passkeys: number
}

const find = statement(
  ({ id, emailKey }: Given<{ id: string | null; emailKey: string | null }>) => sql<AccountRow>`
    select account_id as id, email, name, has_password as "hasPassword", totp_secret as "totpSecret",
      totp_key_id as "totpKeyId", passkeys::integer as passkeys
    from people.find_account(${id}, ${emailKey})`,
)

export const selectAccount = (db: AccountsDb, id: string) => first(db, find({ id, emailKey: null }))
export const selectAccountByEmail = (db: AccountsDb, emailKey: string) => first(db, find({ id: null, emailKey }))

const setPassword = statement(
  ({ id, passwordHash }: Given<{ id: string; passwordHash: string }>) => sql`
    select people.set_password(${id}, ${passwordHash})`,
)

export async function updatePassword(db: AccountsDb, id: string, passwordHash: string): Promise<void> {
  await first(db, setPassword({ id, passwordHash }))
}

type NewTotp = {
  readonly id: string
  readonly secret: Buffer | null
  readonly keyId: string | null
  readonly step: number
}

const setTotp = statement(
  ({ id, secret, keyId, step }: Given<NewTotp>) => sql`
    select people.set_totp(${id}, ${secret}, ${keyId}, ${step}::bigint)`,
)

export async function updateTotp(database: Database, totp: NewTotp): Promise<void> {
  await database.runUnscoped(setTotp(totp))
}

const useStep = statement(
  ({ id, step }: Given<{ id: string; step: number }>) => sql<{ isUsed: boolean | null }>`
    select people.use_totp_step(${id}, ${step}::bigint) as "isUsed"`,
)

/** Returns false if the code of this step or a later one was used before. */
export const updateTotpStep = async (database: Database, id: string, step: number): Promise<boolean> =>
  (await first(database, useStep({ id, step })))?.isUsed === true
