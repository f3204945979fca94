import { sql } from 'kysely'
import type { Timestamp } from '../../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

export type NewPasskey = {
  readonly id: string
  readonly accountId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly passkeysMax: number
}

const insert = statement(
  (given: Given<NewPasskey>) => sql<{ createdAt: Timestamp | null }>`
    select people.add_passkey(
      ${given.id}, ${given.accountId}, ${given.credentialId}, ${given.publicKey}, ${given.counter}::bigint,
      ${given.transports}::text[], ${given.name}, ${given.passkeysMax}::integer) as "createdAt"`,
)

/** Returns null if the passkey exists already or the account has too many. */
export async function insertPasskey(db: Database | OrganizationDb, passkey: NewPasskey): Promise<Timestamp | null> {
  const [row] = 'runUnscoped' in db ? await db.runUnscoped(insert(passkey)) : (await db.run(insert(passkey)))[0]
  return row?.createdAt ?? null
}

export type PasskeyRow = {
  readonly id: string
  readonly credentialId: Buffer
  readonly transports: string[]
  readonly name: string
  readonly createdAt: Timestamp
  readonly lastUsedAt: Timestamp | null
}

const ofAccount = statement(
  ({ accountId }: Given<{ accountId: string }>) => sql<PasskeyRow>`
    select id, credential_id as "credentialId", transports, name, created_at as "createdAt",
      last_used_at as "lastUsedAt"
    from people.passkeys_of(${accountId})`,
)

export const selectPasskeys = (database: Database, accountId: string): Promise<PasskeyRow[]> =>
  database.runUnscoped(ofAccount({ accountId }))

export type StoredPasskey = {
  readonly id: string
  readonly accountId: string
  readonly publicKey: Buffer<ArrayBuffer>
  readonly counter: number
  readonly transports: string[]
}

const byCredential = statement(
  ({ credentialId }: Given<{ credentialId: Buffer }>) => sql<StoredPasskey>`
    select id, account_id as "accountId", public_key as "publicKey", counter::float8 as counter, transports
    from people.find_passkey(${credentialId})`,
)

export async function selectPasskey(database: Database, credentialId: Buffer): Promise<StoredPasskey | undefined> {
  const [row] = await database.runUnscoped(byCredential({ credentialId }))
  return row
}

type Use = { readonly id: string; readonly oldCounter: number; readonly newCounter: number }

const use = statement(
  ({ id, oldCounter, newCounter }: Given<Use>) => sql<{ isUsed: boolean | null }>`
    select people.use_passkey(${id}, ${oldCounter}::bigint, ${newCounter}::bigint) as "isUsed"`,
)

/** Returns false if the counter has changed since it was read. */
export async function updateCounter(database: Database, counters: Use): Promise<boolean> {
  const [row] = await database.runUnscoped(use(counters))
  return row?.isUsed === true
}

type Removal = { readonly accountId: string; readonly id: string; readonly hasOtherMethods: boolean }

const remove = statement(
  ({ accountId, id, hasOtherMethods }: Given<Removal>) => sql<{ outcome: 'removed' | 'last' | null }>`
    select people.remove_passkey(${accountId}, ${id}, ${hasOtherMethods}) as outcome`,
)

export async function deletePasskey(database: Database, removal: Removal) {
  const [row] = await database.runUnscoped(remove(removal))
  return row?.outcome ?? null
}
