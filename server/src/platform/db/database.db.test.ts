import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import { type Given, planAnew, statement } from './statement.ts'

let organizationId: OrganizationId
/** One connection: what one use of it leaves behind, the next one meets. */
let database: Database
/** Somebody else, to look from outside. */
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

/** `folder_counts` serves as a small table that the service may write as it likes. */
const clear = statement(() => sql`delete from folder_counts`)
const put = statement(
  ({ organizationId, slot, amount }: Given<Slot>) => sql`
    insert into folder_counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, ${slot}, ${amount}, 0)`,
)
const all = statement(
  () => sql<Slot>`select slot, folder_count as amount from folder_counts order by slot`,
)
const divide = statement(
  ({ by }: Given<{ by: number }>) => sql<{ result: number }>`select 12 / ${by}::integer as result`,
)
const echo = statement(
  ({ text }: Given<{ text: string }>) => sql<{ text: string }>`select ${text}::text as text`,
)
const nonsense = statement(() => sql`select from no_such_table`)
const prepared = statement(
  () => sql<{ text: string }>`select statement as text from pg_prepared_statements`,
)

const seenOutside = async () => (await outside.forOrganization(organizationId).run(all({})))[0]

describe('several statements at once', () => {
  it('answers the rows of each, in order, and none for one that answers none', async () => {
    const answers = await db.run(
      echo({ text: 'a' }),
      put({ slot: 1, amount: 5 }),
      divide({ by: 4 }),
      all({}),
      echo({ text: 'b' }),
    )
    const expected = [[{ text: 'a' }], [], [{ result: 3 }], [{ slot: 1, amount: 5 }]]
    expect(answers).toEqual([...expected, [{ text: 'b' }]])
  })

  it('happen all or none', async () => {
    const failing = db.run(
      put({ slot: 1, amount: 1 }),
      divide({ by: 0 }),
      put({ slot: 2, amount: 2 }),
    )
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await seenOutside()).toEqual([])
  })

  it('may hold the same statement twice, also the first time it is met', async () => {
    const again = await db.run(echo({ text: 'a' }), echo({ text: 'b' }))
    expect(again).toEqual([[{ text: 'a' }], [{ text: 'b' }]])
  })

  it('answer many rows', async () => {
    const numbers = statement(
      ({ count }: Given<{ count: number }>) =>
        sql<{ n: number }>`select n from generate_series(1, ${count}::integer) as n`,
    )
    const [rows] = await db.run(numbers({ count: 20_000 }))
    expect(rows).toHaveLength(20_000)
    expect(rows.at(-1)).toEqual({ n: 20_000 })
  })

  it('do not mix with those of others who wait for the same connection', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`)
    const answers = await Promise.all(texts.map((text) => db.run(echo({ text }), echo({ text }))))
    expect(answers).toEqual(texts.map((text) => [[{ text }], [{ text }]]))
  })
})

describe('after an error the connection goes on', () => {
  it('when a statement failed while it ran, on its first use and later', async () => {
    for (let time = 0; time < 3; time++) {
      await expect(db.run(divide({ by: 0 }))).rejects.toMatchObject({ code: '22012' })
      expect(await db.run(divide({ by: 3 }))).toEqual([[{ result: 4 }]])
    }
  })

  it('when a statement could not even be parsed, however often it is tried', async () => {
    for (let time = 0; time < 3; time++) {
      await expect(db.run(echo({ text: 'a' }), nonsense({}))).rejects.toMatchObject({
        code: '42P01',
      })
      expect(await db.run(echo({ text: 'b' }))).toEqual([[{ text: 'b' }]])
    }
  })

  it('when a value did not fit', async () => {
    const misfit = echo({ text: 'nul \0 in it' })
    await expect(db.run(misfit)).rejects.toMatchObject({ code: '22021' })
    expect(await db.run(echo({ text: 'b' }))).toEqual([[{ text: 'b' }]])
  })

  it('with the statements behind the failed one, which it never met', async () => {
    await expect(db.run(divide({ by: 0 }), echo({ text: 'a' }), all({}))).rejects.toThrow()
    expect(await db.run(echo({ text: 'a' }), all({}), divide({ by: 2 }))).toEqual([
      [{ text: 'a' }],
      [],
      [{ result: 6 }],
    ])
  })
})

describe('preparing', () => {
  it('a statement is prepared once a connection, whatever its values', async () => {
    for (let time = 0; time < 20; time++) await db.run(echo({ text: `text ${time}` }))
    const [rows] = await db.run(prepared({}))
    expect(rows.filter(({ text }) => text === 'select $1::text as text')).toHaveLength(1)
  })

  it('one that is to be planned anew is never kept, and answers its own columns each time', async () => {
    const anew = planAnew(echo)
    const divideAnew = planAnew(divide)
    for (let time = 0; time < 8; time++) {
      expect(await db.run(anew({ text: 'a' }), divideAnew({ by: 6 }), anew({ text: 'b' }))).toEqual(
        [[{ text: 'a' }], [{ result: 2 }], [{ text: 'b' }]],
      )
    }
    const [rows] = await db.run(prepared({}))
    expect(rows.filter(({ text }) => text === 'select $1::text as text')).toEqual([])
  })
})
