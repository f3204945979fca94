import { sql } from 'kysely'
import type { OrganizationDb } from '../db/database.ts'
import { build, type Given, statement } from '../db/statement.ts'

type Saved = { readonly requestHash: Buffer; readonly answer: Buffer }
type Key = Given<{ readonly key: string }>

/** False when another transaction works under this key right now. Held until ours ends. */
const tryLockKey = statement(
  ({ organizationId, key }: Key) =>
    sql<{ isLocked: boolean }>`
      select pg_try_advisory_xact_lock(
        hashtextextended(${organizationId}::text || '/' || ${key}::text, 1)
      ) as "isLocked"`,
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
 * of them. Rows that somebody else is removing are passed over.
 */
const removeSomeOld = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from idempotency_keys
    where organization_id = ${organizationId} and key in (
      select key from idempotency_keys
      where organization_id = ${organizationId} and created_at <= now() - interval '24 hours'
      order by created_at limit 10
      for update skip locked
    )`,
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

export async function saveAnswer(tx: OrganizationDb, key: string, saved: Saved): Promise<void> {
  await tx.run(removeExpired({ key }), removeSomeOld({}), insertAnswer({ key, ...saved }))
}
