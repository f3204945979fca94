import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { Database } from '../database.ts'
import { statement } from '../statement.ts'

/** Four connections for short queries, four for each organization, twelve for all of them. */
const options = { url: stackEnv().DATABASE_URL, connectionsMax: 16, statementTimeoutSeconds: 120 }
const one = statement(() => sql<{ one: number }>`select 1 as one`)
const owner = await opened(Promise.resolve(openOwner()))
const organizationIds = await Promise.all(
  Array.from({ length: 5 }, async () => (await newOrganization(owner)).organizationId),
)

/** Transactions that stay open until `end` is called. */
function openTransactions(database: Database) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const started: OrganizationId[] = []
  const transactions: Promise<void>[] = []
  return {
    started,
    start: (organizationId: OrganizationId) => {
      const transaction = database.forOrganization(organizationId).transaction(async (tx) => {
        await tx.run(one({}))
        started.push(organizationId)
        await ended
      })
      transactions.push(transaction)
      return transaction
    },
    [Symbol.asyncDispose]: async () => {
      end()
      await Promise.allSettled(transactions)
    },
  }
}

it('long transactions of many organizations leave connections for short queries', async () => {
  await using database = new Database({ ...options, connectTimeoutSeconds: 60 }, () => {})
  await using transactions = openTransactions(database)
  for (const id of organizationIds) for (let turn = 0; turn < 4; turn++) void transactions.start(id).catch(() => {})
  await expect.poll(() => transactions.started.length).toBe(12)
  const [first] = organizationIds as [OrganizationId]
  expect(await database.runUnscoped(one({}))).toEqual([{ one: 1 }])
  expect(await database.forOrganization(first).run(one({}))).toEqual([[{ one: 1 }]])
  expect(transactions.started).toHaveLength(12)
})

it('a transaction that waits too long for a connection is rejected, and a later one gets the next connection', async () => {
  await using database = new Database({ ...options, connectTimeoutSeconds: 1 }, () => {})
  const [busy, other, last] = organizationIds as [OrganizationId, OrganizationId, OrganizationId]
  const long = openTransactions(database)
  for (const id of [busy, other, last]) for (let turn = 0; turn < 4; turn++) void long.start(id)
  await expect.poll(() => long.started.length).toBe(12)
  for (const id of [busy, organizationIds.at(-1) ?? busy]) {
    await expect(database.forOrganization(id).transaction((tx) => tx.run(one({})))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    })
  }
  await long[Symbol.asyncDispose]()
  await expect(database.forOrganization(busy).transaction((tx) => tx.run(one({})))).resolves.toEqual([[{ one: 1 }]])
})

it('organizations that wait get free connections in turn', async () => {
  await using database = new Database({ ...options, connectTimeoutSeconds: 60 }, () => {})
  const [a, b, c, many, few] = organizationIds as [
    OrganizationId,
    OrganizationId,
    OrganizationId,
    OrganizationId,
    OrganizationId,
  ]
  const long = openTransactions(database)
  for (const id of [a, b, c]) for (let turn = 0; turn < 4; turn++) void long.start(id)
  await expect.poll(() => long.started.length).toBe(12)
  const order: OrganizationId[] = []
  const short = (id: OrganizationId) =>
    database.forOrganization(id).transaction(async (tx) => {
      order.push(id)
      await tx.run(one({}))
    })
  const waiting = [...Array.from({ length: 10 }, () => short(many)), short(few)]
  await long[Symbol.asyncDispose]()
  await Promise.all(waiting)
  expect(order.indexOf(few)).toBeLessThan(5)
})

it('a short query that waits too long for a connection is rejected', async () => {
  await using database = new Database({ ...options, connectionsMax: 4, connectTimeoutSeconds: 0.5 }, () => {})
  const sleeps = statement(() => sql`select pg_sleep(3)`)
  // The only connection for short queries is busy.
  const slow = database.runUnscoped(sleeps({}))
  await expect(database.runUnscoped(one({}))).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  await slow
  expect(await database.runUnscoped(one({}))).toEqual([{ one: 1 }])
})
