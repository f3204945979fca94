/** Many concurrent short queries share a few connections without affecting each other. */
import { Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { newOrganizationId } from '../../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../database.ts'
import { type Given, type Query, statement } from '../statement.ts'

const superuser = await opened(Superuser.open())

const open = (options: { connectionsMax?: number; statementTimeoutSeconds: number }) =>
  new Database({ url: stackEnv().DATABASE_URL, connectionsMax: 1, ...options }, () => {})
/** A query that runs longer than any test's timeout. */
const nap = { name: 'nap', text: 'select from pg_sleep(3600)', values: () => [] }

let database: Database
let db: OrganizationDb
beforeEach(() => {
  database = open({ statementTimeoutSeconds: 120 })
  db = database.forOrganization(newOrganizationId())
  return () => database[Symbol.asyncDispose]()
})

const whose = statement(() => sql<{ id: string }>`select current_setting('app.organization_id') as id`)
const echo = statement(({ text }: Given<{ text: string }>) => sql<{ text: string }>`select ${text}::text as text`)
const divide = statement(
  ({ by }: Given<{ by: number }>) => sql<{ result: number }>`select 12 / ${by}::integer as result`,
)

/** A statement that no connection has prepared yet. */
let freshCount = 0
function fresh(value: string): Query<{ value: string }> {
  const text = `select '${value}' as value /* ${process.pid} ${freshCount++} */`
  return { name: `fresh ${freshCount}`, text, values: () => [] }
}

const outcomesOf = (work: Promise<unknown>[]) =>
  Promise.allSettled(work).then((settled) =>
    settled.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
  )

describe('queries that share a connection', () => {
  it('run each for its own organization', async () => {
    const ids = Array.from({ length: 200 }, () => newOrganizationId())
    const seen = await Promise.all(
      ids.map(async (id) => {
        const [[one], [two]] = await database.forOrganization(id).run(whose({}), whose({}))
        return [one?.id, two?.id]
      }),
    )
    expect(seen).toEqual(ids.map((id) => [id, id]))
  })

  it('fail independently of each other', async () => {
    const divisors = Array.from({ length: 100 }, (_, index) => index % 3)
    const outcomes = await outcomesOf(divisors.map((by) => db.run(divide({ by }))))
    expect(outcomes).toEqual(divisors.map((by) => (by ? [[{ result: 12 / by }]] : '22012')))
  })

  it('can run a statement that was not prepared because of an earlier failure', async () => {
    for (let time = 0; time < 5; time++) {
      const later = fresh('later')
      const outcomes = await outcomesOf([
        db.run(echo({ text: 'keeps the connection busy' })),
        db.run(divide({ by: 0 }), later),
        db.run(later),
        db.run(later),
      ])
      expect(outcomes.slice(1)).toEqual(['22012', [[{ value: 'later' }]], [[{ value: 'later' }]]])
      expect(await db.run(later)).toEqual([[{ value: 'later' }]])
    }
  })

  it('can rerun a statement that failed to parse before its table existed', async () => {
    const nonsense: Query<unknown> = {
      name: 'nonsense',
      text: 'select from nowhere',
      values: () => [],
    }
    const outcomes = await outcomesOf(
      Array.from({ length: 10 }, (_, index) => db.run(index % 2 ? nonsense : echo({ text: 'a' }))),
    )
    expect(new Set(outcomes.filter((_, index) => index % 2))).toEqual(new Set(['42P01']))
    expect(outcomes.filter((_, index) => index % 2 === 0)).toEqual(Array(5).fill([[{ text: 'a' }]]))
    await superuser.query('create table public.nowhere (id integer)')
    await superuser.query('grant select on nowhere to reelkeep_api')
    try {
      expect(await db.run(nonsense)).toEqual([[]])
    } finally {
      await superuser.query('drop table nowhere')
    }
  })

  it('wait for the slow query before them and succeed after its statement timeout', async () => {
    await using brief = open({ statementTimeoutSeconds: 2 })
    const db = brief.forOrganization(newOrganizationId())
    const outcomes = await outcomesOf([db.run(nap), ...Array.from({ length: 20 }, () => db.run(echo({ text: 'a' })))])
    expect(outcomes[0]).toBe('57014')
    expect(outcomes.slice(1)).toEqual(Array(20).fill([[{ text: 'a' }]]))
  })

  it('fail when the connection breaks, and the next query gets a new connection', async () => {
    const pid: Query<{ pid: number }> = {
      name: 'pid',
      text: 'select pg_backend_pid() as pid',
      values: () => [],
    }
    const [[before]] = await db.run(pid)
    const inFlight = outcomesOf([db.run(nap), db.run(echo({ text: 'a' })), db.run(echo({ text: 'b' }))])
    const naps = `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`
    await expect.poll(() => superuser.query(naps, [before?.pid])).toHaveLength(1)
    await superuser.query('select pg_terminate_backend($1, 5000)', [before?.pid])
    // The first query was running and fails. Queries that were not sent yet may succeed on another connection.
    expect((await inFlight)[0]).toBe('57P01')
    const [[after]] = await db.run(pid)
    expect(after?.pid).not.toBe(before?.pid)
  })

  it('do not starve a transaction or a search', async () => {
    // The smallest pool size that the settings allow.
    await using small = open({ connectionsMax: 4, statementTimeoutSeconds: 120 })
    const db = small.forOrganization(newOrganizationId())
    let isOver = false
    const busy = Array.from({ length: 20 }, async () => {
      while (!isOver) await db.run(echo({ text: 'a' }))
    })
    const outcomes = await outcomesOf([
      db.transaction((tx) => tx.run(echo({ text: 'b' }))),
      db.run({ ...echo({ text: 'c' }), name: '' }),
    ])
    isOver = true
    await Promise.all(busy)
    expect(outcomes).toEqual([[[{ text: 'b' }]], [[{ text: 'c' }]]])
  })
})
