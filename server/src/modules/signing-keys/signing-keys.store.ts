import { sql } from 'kysely'
import type { SigningKeyId } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { SigningKey } from './signing-keys.rules.ts'

const columns = sql`id, name, public_key as "publicKey", created_at as "createdAt", expires_at as "expiresAt",
  ${creatorColumns('signing_keys')}`

/** Newest first: ids are ordered by time. */
const readPage = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) => sql<SigningKey>`
    select ${columns} from signing_keys
    where organization_id = ${organizationId} and ${afterPosition} ${order} limit ${limit}`,
)

const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from signing_keys where organization_id = ${organizationId}`,
)

/** All public keys that have not expired, not paged because there are few. */
export const publicKeys = statement(
  ({ organizationId }: Given<object>) => sql<Pick<SigningKey, 'id' | 'publicKey'>>`
    select id, public_key as "publicKey" from signing_keys
    where organization_id = ${organizationId} and coalesce(expires_at > now(), true)`,
)

/** Serializes key creation, so that concurrent requests cannot exceed the limit together. */
const lockCreation = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) =>
      sql`select from (select pg_advisory_xact_lock(${lockNumber('newSigningKey', organizationId)})) as locked`,
  ),
)

type NewKey = Pick<SigningKey, 'id' | 'name' | 'publicKey' | 'createdBy'> & { readonly expiresAt: string | null }

const insert = creating(
  'signing_key',
  'id',
  statement(
    ({ organizationId, id, name, publicKey, expiresAt, createdBy }: Given<NewKey>) => sql<SigningKey>`
    insert into signing_keys (organization_id, id, name, public_key, expires_at, created_by)
    values (${organizationId}, ${id}, ${name}, ${publicKey}, ${expiresAt}, ${createdBy})
    returning ${columns}`,
  ),
)

const remove = statement(
  ({ organizationId, id }: Given<{ id: SigningKeyId }>) => sql<{ id: SigningKeyId }>`
    delete from signing_keys where organization_id = ${organizationId} and id = ${id} returning id`,
)

export async function selectPage(db: OrganizationDb, request: PageRequest): Promise<RowsWithCount<SigningKey>> {
  return toRowsWithCount(await db.run(readPage({}, request), countAll({})))
}

export async function lockAndCountKeys(tx: OrganizationDb): Promise<number> {
  const [, [row]] = await tx.run(lockCreation({}), countAll({}))
  return row?.count ?? 0
}

export async function insertKey(tx: OrganizationDb, key: NewKey): Promise<SigningKey> {
  const [[row]] = await tx.run(insert(key))
  if (!row) throw new Error('Inserting a signing key returned no row')
  return row
}

/** Deletes a key. Returns whether it existed. */
export async function deleteKey(db: OrganizationDb, id: SigningKeyId): Promise<boolean> {
  const [rows] = await db.run(remove({ id }))
  return rows.length > 0
}
