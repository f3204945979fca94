import { sql } from 'kysely'
import type { SigningKeyId } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import { type Found, readingOf, toFound } from '../../platform/db/reading.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { SigningKey } from './signing-keys.rules.ts'

const columns = sql`id, name, public_key as "publicKey", created_at as "createdAt"`

/** Newest first: ids are made in the order of time. */
const readPage = readingOf(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { isAhead, order, limit }) => sql<SigningKey>`
    select ${columns} from signing_keys
    where organization_id = ${organizationId} and ${isAhead} ${order} limit ${limit}`,
)

const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from signing_keys where organization_id = ${organizationId}`,
)

/** All of them: there are few. */
export const publicKeys = statement(
  ({ organizationId }: Given<object>) => sql<Pick<SigningKey, 'id' | 'publicKey'>>`
    select id, public_key as "publicKey" from signing_keys where organization_id = ${organizationId}`,
)

/** Serializes those who create keys, so that two cannot pass the limit together. */
const lockCreation = takesLong(
  statement(
    ({ organizationId }: Given<object>) =>
      sql`select from (select pg_advisory_xact_lock(${lockNumber('newSigningKey', organizationId)})) as locked`,
  ),
)

type NewKey = Omit<SigningKey, 'createdAt'>

const insert = statement(
  ({ organizationId, id, name, publicKey }: Given<NewKey>) => sql<SigningKey>`
    insert into signing_keys (organization_id, id, name, public_key)
    values (${organizationId}, ${id}, ${name}, ${publicKey})
    returning ${columns}`,
)

const remove = statement(
  ({ organizationId, id }: Given<{ id: SigningKeyId }>) => sql<{ id: SigningKeyId }>`
    delete from signing_keys where organization_id = ${organizationId} and id = ${id} returning id`,
)

export async function selectPage(
  db: OrganizationDb,
  request: PageRequest,
): Promise<Found<SigningKey>> {
  return toFound(await db.run(readPage({}, request), countAll({})))
}

export async function lockAndCountKeys(tx: OrganizationDb): Promise<number> {
  const [, [row]] = await tx.run(lockCreation({}), countAll({}))
  return row?.count ?? 0
}

export async function insertKey(tx: OrganizationDb, key: NewKey): Promise<SigningKey> {
  const [[row]] = await tx.run(insert(key))
  if (!row) throw new Error('A signing key was not written')
  return row
}

/** Tells whether there was such a key. */
export async function deleteKey(db: OrganizationDb, id: SigningKeyId): Promise<boolean> {
  const [rows] = await db.run(remove({ id }))
  return rows.length > 0
}
