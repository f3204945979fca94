import { sql } from 'kysely'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { lockNumber } from '../../db/advisory-locks.ts'
import type { Database, OrganizationDb } from '../../db/database.ts'
import { build, dedicatedConnection, type Given, statement } from '../../db/statement.ts'

type StoredResponse = { readonly requestHash: Buffer; readonly response: Buffer }
type Key = Given<{ readonly key: string }>

/**
 * Returns false if another transaction holds the lock of this key. The lock is released at the end of the transaction.
 */
const tryLockKey = statement(
  ({ organizationId, key }: Key) =>
    sql<{ isLocked: boolean }>`
      select pg_try_advisory_xact_lock(${lockNumber('idempotencyKey', organizationId, key)}) as "isLocked"`,
)

const responseByKey = statement(({ organizationId, key }: Key) =>
  build
    .selectFrom('idempotency_keys')
    .select(['request_hash as requestHash', 'answer as response'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '>', sql<never>`now() - interval '24 hours'`),
)

/** Deletes a key that is older than a day, so that it can be reused. */
const removeExpired = statement(({ organizationId, key }: Key) =>
  build
    .deleteFrom('idempotency_keys')
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '<=', sql<never>`now() - interval '24 hours'`),
)

/**
 * Each insert deletes a few old keys, so that an active organization keeps about a day of them. The worker deletes
 * those of inactive organizations.
 */
const OLD_KEYS_PER_INSERT = 10

/** Deletes some old keys, except those that another transaction is deleting. */
const removeSomeOld = statement(
  ({ organizationId, limit }: Given<{ limit: number }>) => sql<{ key: string }>`
    delete from idempotency_keys
    where organization_id = ${organizationId} and key in (
      select key from idempotency_keys
      where organization_id = ${organizationId} and created_at <= now() - interval '24 hours'
      order by created_at limit ${limit}
      for update skip locked
    )
    returning key`,
)

/** The view `organizations_with_old_answers` shows the worker only organization ids. */
const organizationsWithOld = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from organizations_with_old_answers
    where organization_id > ${after} order by organization_id limit ${limit}`,
)

const insertResponse = statement(
  ({ organizationId, key, requestHash, response }: Given<StoredResponse & { key: string }>) =>
    build.insertInto('idempotency_keys').values({
      organization_id: organizationId,
      key,
      request_hash: requestHash,
      answer: response,
    }),
)

export async function lockKey(tx: OrganizationDb, key: string) {
  const [[lock], [saved]] = await tx.run(tryLockKey({ key }), responseByKey({ key }))
  return { isLocked: lock?.isLocked === true, saved }
}

export async function findResponse(db: OrganizationDb, key: string): Promise<StoredResponse | undefined> {
  const [[saved]] = await db.run(responseByKey({ key }))
  return saved
}

/** Stores the response. The statements are sent with the commit, which precedes the HTTP response. */
export async function saveResponse(tx: OrganizationDb, key: string, saved: StoredResponse): Promise<void> {
  await tx.send(
    removeExpired({ key }),
    removeSomeOld({ limit: OLD_KEYS_PER_INSERT }),
    insertResponse({ key, ...saved }),
  )
}

const removeMany = dedicatedConnection(removeSomeOld)

/** Returns the number of deleted keys. */
export async function deleteOldKeys(db: OrganizationDb, limit: number): Promise<number> {
  const [removed] = await db.run(removeMany({ limit }))
  return removed.length
}

/** Returns organizations in the order of their ids, starting after `after`. */
export async function selectOrganizationsWithOldKeys(
  database: Database,
  after: string,
  limit: number,
): Promise<OrganizationId[]> {
  return (await database.runUnscoped(organizationsWithOld({ after, limit }))).map(({ id }) => id)
}
