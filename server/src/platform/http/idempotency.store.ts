import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import { lockNumber } from '../db/advisory-locks.ts'
import type { Database, OrganizationDb } from '../db/database.ts'
import { build, type Given, statement, takesLong } from '../db/statement.ts'

type Saved = { readonly requestHash: Buffer; readonly answer: Buffer }
type Key = Given<{ readonly key: string }>

/** False when another transaction works under this key right now. Held until ours ends. */
const tryLockKey = statement(
  ({ organizationId, key }: Key) =>
    sql<{ isLocked: boolean }>`
      select pg_try_advisory_xact_lock(${lockNumber('idempotencyKey', organizationId, key)}) as "isLocked"`,
)

const answerByKey = statement(({ organizationId, key }: Key) =>
  build
    .selectFrom('idempotency_keys')
    .select(['request_hash as requestHash', 'answer'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '>', sql<never>`now() - interval '24 hours'`),
)

/** The same key from more than a day ago is free again. */
const removeExpired = statement(({ organizationId, key }: Key) =>
  build
    .deleteFrom('idempotency_keys')
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '<=', sql<never>`now() - interval '24 hours'`),
)

/**
 * A few old keys go with each new one, so that an organization that goes on using keys keeps about a day
 * of them. The worker removes those of one that does not.
 */
const REMOVED_WITH_EACH = 10

/** Rows that somebody else is removing are passed over. */
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

/** A view tells the worker whose, and nothing else of them. */
const withOld = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from organizations_with_old_answers
    where organization_id > ${after} order by organization_id limit ${limit}`,
)

const insertAnswer = statement(
  ({ organizationId, key, requestHash, answer }: Given<Saved & { key: string }>) =>
    build.insertInto('idempotency_keys').values({
      organization_id: organizationId,
      key,
      request_hash: requestHash,
      answer,
    }),
)

export async function lockKey(tx: OrganizationDb, key: string) {
  const [[lock], [saved]] = await tx.run(tryLockKey({ key }), answerByKey({ key }))
  return { isLocked: lock?.isLocked === true, saved }
}

export async function findAnswer(db: OrganizationDb, key: string): Promise<Saved | undefined> {
  const [[saved]] = await db.run(answerByKey({ key }))
  return saved
}

/** With the commit: nobody is answered before it. */
export async function saveAnswer(tx: OrganizationDb, key: string, saved: Saved): Promise<void> {
  await tx.send(
    removeExpired({ key }),
    removeSomeOld({ limit: REMOVED_WITH_EACH }),
    insertAnswer({ key, ...saved }),
  )
}

const removeMany = takesLong(removeSomeOld)

/** Answers how many there were. */
export async function deleteOldAnswers(db: OrganizationDb, limit: number): Promise<number> {
  const [removed] = await db.run(removeMany({ limit }))
  return removed.length
}

/** In the order of their ids, those after this one. */
export async function selectWithOldAnswers(
  database: Database,
  after: string,
  limit: number,
): Promise<OrganizationId[]> {
  return (await database.ask(withOld({ after, limit }))).map(({ id }) => id)
}
