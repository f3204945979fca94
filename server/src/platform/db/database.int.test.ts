import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import { customPlan, type Given, statement } from './statement.ts'

let organizationId: OrganizationId
/** One connection, so that state left behind by one use is visible to the next. */
let database: Database
/** A second pool that observes committed data. */
let outside: Database
let db: OrganizationDb
beforeAll(async () => {
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
})
beforeEach(async () => {
  const { DATABASE_URL: url } = stackEnv()
  database = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 10 }, () => {})
  outside = new Database({ url, connectionsMax: 2, statementTimeoutSeconds: 10 }, () => {})
  db = database.forOrganization(organizationId)
  await db.run(clear({}))
  return async () => {
    await database[Symbol.asyncDispose]()
    await outside[Symbol.asyncDispose]()
  }
})

type Slot = { slot: number; amount: number }

/** `folder_counts` serves as a small table that the API role may write. */
const clear = statement(() => sql`delete from folder_counts`)
const put = statement(
  ({ organizationId, slot, amount }: Given<Slot>) => sql`
    insert into folder_counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, ${slot}, ${amount}, 0)`,
)
const all = statement(() => sql<Slot>`select slot, folder_count as amount from folder_counts order by slot`)
const divide = statement(
  ({ by }: Given<{ by: number }>) => sql<{ result: number }>`select 12 / ${by}::integer as result`,
)
const echo = statement(({ text }: Given<{ text: string }>) => sql<{ text: string }>`select ${text}::text as text`)
const nonsense = statement(() => sql`select from no_such_table`)
const prepared = statement(() => sql<{ text: string }>`select statement as text from pg_prepared_statements`)

const seenOutside = async () => (await outside.forOrganization(organizationId).run(all({})))[0]

describe('several statements in one run', () => {
  it('return the rows of each in order, and an empty list for a statement without rows', async () => {
    const rows = await db.run(
      echo({ text: 'a' }),
      put({ slot: 1, amount: 5 }),
      divide({ by: 4 }),
      all({}),
      echo({ text: 'b' }),
    )
    const expected = [[{ text: 'a' }], [], [{ result: 3 }], [{ slot: 1, amount: 5 }]]
    expect(rows).toEqual([...expected, [{ text: 'b' }]])
  })

  it('are rolled back together when one of them fails', async () => {
    const failing = db.run(put({ slot: 1, amount: 1 }), divide({ by: 0 }), put({ slot: 2, amount: 2 }))
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await seenOutside()).toEqual([])
  })

  it('may contain the same statement twice, even on its first use', async () => {
    const again = await db.run(echo({ text: 'a' }), echo({ text: 'b' }))
    expect(again).toEqual([[{ text: 'a' }], [{ text: 'b' }]])
  })

  it('may return 20,000 rows', async () => {
    const numbers = statement(
      ({ count }: Given<{ count: number }>) =>
        sql<{ n: number }>`select n from generate_series(1, ${count}::integer) as n`,
    )
    const [rows] = await db.run(numbers({ count: 20_000 }))
    expect(rows).toHaveLength(20_000)
    expect(rows.at(-1)).toEqual({ n: 20_000 })
  })

  it('get their own rows while other runs share the connection', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`)
    const rows = await Promise.all(texts.map((text) => db.run(echo({ text }), echo({ text }))))
    expect(rows).toEqual(texts.map((text) => [[{ text }], [{ text }]]))
  })
})

describe('a connection stays usable', () => {
  it('after a statement failed at run time, on its first use and later', async () => {
    for (let time = 0; time < 3; time++) {
      await expect(db.run(divide({ by: 0 }))).rejects.toMatchObject({ code: '22012' })
      expect(await db.run(divide({ by: 3 }))).toEqual([[{ result: 4 }]])
    }
  })

  it('after repeated attempts to run a statement that cannot be parsed', async () => {
    for (let time = 0; time < 3; time++) {
      await expect(db.run(echo({ text: 'a' }), nonsense({}))).rejects.toMatchObject({
        code: '42P01',
      })
      expect(await db.run(echo({ text: 'b' }))).toEqual([[{ text: 'b' }]])
    }
  })

  it('after Postgres rejected a value', async () => {
    const misfit = echo({ text: 'nul \0 in it' })
    await expect(db.run(misfit)).rejects.toMatchObject({ code: '22021' })
    expect(await db.run(echo({ text: 'b' }))).toEqual([[{ text: 'b' }]])
  })

  it('for statements that were not parsed because the statement before them failed', async () => {
    await expect(db.run(divide({ by: 0 }), echo({ text: 'a' }), all({}))).rejects.toThrow()
    expect(await db.run(echo({ text: 'a' }), all({}), divide({ by: 2 }))).toEqual([
      [{ text: 'a' }],
      [],
      [{ result: 6 }],
    ])
  })
})

describe('prepared statements', () => {
  it('a statement is prepared once per connection, whatever its values', async () => {
    for (let time = 0; time < 20; time++) await db.run(echo({ text: `text ${time}` }))
    const [rows] = await db.run(prepared({}))
    expect(rows.filter(({ text }) => text === 'select $1::text as text')).toHaveLength(1)
  })

  it('a statement with a custom plan is never prepared, and returns its own columns each time', async () => {
    const echoUnprepared = customPlan(echo)
    const divideUnprepared = customPlan(divide)
    for (let time = 0; time < 8; time++) {
      const results = await db.run(
        echoUnprepared({ text: 'a' }),
        divideUnprepared({ by: 6 }),
        echoUnprepared({ text: 'b' }),
      )
      expect(results).toEqual([[{ text: 'a' }], [{ result: 2 }], [{ text: 'b' }]])
    }
    const [rows] = await db.run(prepared({}))
    expect(rows.filter(({ text }) => text === 'select $1::text as text')).toEqual([])
  })
})
