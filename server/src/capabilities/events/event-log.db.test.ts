/** The promise of the log: whoever goes on from a number misses nothing, whatever was written at the same time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import {
  about,
  keepEventWeeks,
  type LoggedEvent,
  lastNumber,
  type NewEvent,
  readEvents,
  recordEvents,
  settleEvents,
  settleForgotten,
} from './events.ts'
import { startPublisher } from './publisher.ts'

const { DATABASE_URL: url, DATABASE_WORKER_URL: workerUrl } = stackEnv()
const open = (of: string) =>
  new Database({ url: of, connectionsMax: 64, statementTimeoutSeconds: 30 }, () => {})

const database = await opened(Promise.resolve(open(url)))
const worker = await opened(Promise.resolve(open(workerUrl)))
const superuser = await opened(Superuser.open())

let organizationId: OrganizationId
let db: OrganizationDb
beforeEach(async () => {
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
  db = database.forOrganization(organizationId)
  // What the making of the organization told is not ours.
  await superuser.query('delete from event_outbox where organization_id = $1', [organizationId])
  await superuser.query('delete from events where organization_id = $1', [organizationId])
  await superuser.query('delete from event_logs where organization_id = $1', [organizationId])
})

const nothing = () => []
const settle = () => settleEvents(db, nothing)

const folder = (title: string, subject = 'one'): NewEvent =>
  about(subject, { type: 'folder.updated', data: { uuid: subject, title, parent: null } })

const titleOf = ({ data }: LoggedEvent) => (data as { title: string }).title

async function titlesAfter(after: number): Promise<string[]> {
  const { events } = await readEvents(db, { after, limit: 1000, types: [], assetId: null })
  return events.map(titleOf)
}

/** Commits when told. */
function slowly(...events: NewEvent[]) {
  const commit = Promise.withResolvers<void>()
  const isWritten = Promise.withResolvers<void>()
  const done = db.transaction(async (tx) => {
    await recordEvents(tx, ...events)
    await tx.run()
    isWritten.resolve()
    await commit.promise
  })
  const finish = () => {
    commit.resolve()
    return done
  }
  return { isWritten: isWritten.promise, commit: finish }
}

describe('numbers', () => {
  it('come in the order in which readers can see the events, not in that of writing', async () => {
    const early = slowly(folder('written first'))
    await early.isWritten
    await recordEvents(db, folder('written second'))
    await settle()
    expect(await titlesAfter(0)).toEqual(['written second'])
    await early.commit()
    await settle()
    expect(await titlesAfter(1)).toEqual(['written first'])
  })

  it('follow a lock, also for who began to wait for it before the other began to write', async () => {
    const lock = `select pg_advisory_xact_lock(hashtext('${organizationId}'))`
    const locking = { name: '', text: lock, values: () => [] }
    const isHeld = Promise.withResolvers<void>()
    const mayGo = Promise.withResolvers<void>()
    const first = db.transaction(async (tx) => {
      await tx.run(locking)
      isHeld.resolve()
      await mayGo.promise
      await recordEvents(tx, folder('held first'))
    })
    await isHeld.promise
    const second = db.transaction(async (tx) => {
      await recordEvents(tx, folder('of somebody else', 'two'))
      await tx.run(locking)
      await recordEvents(tx, folder('held second'))
    })
    mayGo.resolve()
    await Promise.all([first, second])
    await settle()
    const held = (await titlesAfter(0)).filter((title) => title.startsWith('held'))
    expect(held).toEqual(['held first', 'held second'])
  })

  it('are drawn once when many draw them at the same time', async () => {
    await recordEvents(db, ...Array.from({ length: 300 }, (_, index) => folder(`${index}`)))
    await Promise.all(Array.from({ length: 8 }, settle))
    expect(await titlesAfter(0)).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`))
  })

  it('are given to more than a thousand events that wait', async () => {
    await db.transaction(async (tx) => {
      for (let index = 0; index < 1500; index++) await recordEvents(tx, folder(`${index}`))
    })
    await settle()
    expect(await titlesAfter(1000)).toHaveLength(500)
  })

  it('rise with the time by which their days are told apart, also for who waited for the log', async () => {
    await recordEvents(db, folder('numbered first'))
    await settle()
    await recordEvents(db, folder('numbered second'))
    const mayWait = Promise.withResolvers<void>()
    const hasBegun = Promise.withResolvers<void>()
    const late = db.transaction(async (tx) => {
      await tx.run({ name: '', text: 'select', values: () => [] })
      hasBegun.resolve()
      await mayWait.promise
      await settleEvents(tx, nothing)
    })
    await hasBegun.promise
    await settle()
    await recordEvents(db, folder('numbered third'))
    mayWait.resolve()
    await late
    const inTime = await superuser.query<{ number: string }>(
      'select number from events where organization_id = $1 order by numbered_at, number',
      [organizationId],
    )
    expect(inTime.map(({ number }) => Number(number))).toEqual([1, 2, 3])
  })

  it('are not given to what was rolled back', async () => {
    const refused = db.transaction(async (tx) => {
      await recordEvents(tx, folder('never'))
      await tx.run()
      throw new Error('changed my mind')
    })
    await expect(refused).rejects.toThrow('changed my mind')
    await recordEvents(db, folder('this one'))
    await settle()
    const { events, after } = await readEvents(db, {
      after: undefined,
      limit: 10,
      types: [],
      assetId: null,
    })
    expect(events.map(titleOf)).toEqual(['this one'])
    expect(after).toBe(1)
  })
})

const WRITERS = 12
const CHANGES = 40

/** Each change takes its time between its event and its commit, and some are given up. */
async function write(subject: string, random: () => number): Promise<string[]> {
  const committed: string[] = []
  for (let change = 0; change < CHANGES; change++) {
    const title = `${subject} ${change}`
    const isKept = random() > 0.1
    await db
      .transaction(async (tx) => {
        await recordEvents(tx, folder(title, subject))
        await tx.run()
        await sleep(random() * 15)
        if (!isKept) throw new Error('given up')
      })
      .catch((error: Error) => expect(error.message).toBe('given up'))
    if (isKept) committed.push(title)
  }
  return committed
}

/** Goes on from the last number seen, as a caller does, until told that all is written. */
async function follow(isOver: () => boolean): Promise<LoggedEvent[]> {
  const seen: LoggedEvent[] = []
  for (let isLast = false; ; ) {
    await settle()
    const wish = { after: seen.at(-1)?.number ?? 0, limit: 7, types: [], assetId: null }
    const { events, hasMore } = await readEvents(db, wish)
    seen.push(...events)
    if (isLast && !hasMore) return seen
    isLast = isOver()
    await sleep(1)
  }
}

describe('a reader', () => {
  it('misses nothing and meets nothing twice beside a dozen writers, whoever commits first', async () => {
    let isOver = false
    const readers = Array.from({ length: 4 }, () => follow(() => isOver))
    const writers = Array.from({ length: WRITERS }, (_, index) =>
      write(`writer ${index}`, Math.random),
    )
    const written = await Promise.all(writers)
    isOver = true
    for (const seen of await Promise.all(readers)) {
      expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => index + 1))
      const titles = seen.map(titleOf)
      expect([...titles].sort()).toEqual(written.flat().sort())
      written.forEach((own, index) => {
        expect(titles.filter((title) => title.startsWith(`writer ${index} `))).toEqual(own)
      })
    }
  })

  it('goes on behind what its filter left out', async () => {
    await recordEvents(db, folder('one'), folder('two'), folder('three'))
    await settle()
    const none = await readEvents(db, { after: 0, limit: 10, types: ['asset.*'], assetId: null })
    expect(none).toEqual({ events: [], after: 3, hasMore: false })
    const both = { types: ['folder.*', 'token.created'], assetId: null }
    const some = await readEvents(db, { after: 0, limit: 2, ...both })
    expect([some.events.map(titleOf), some.after, some.hasMore]).toEqual([['one', 'two'], 2, true])
  })

  it('looks through 50,000 at a time for what is rare, and is led on', async () => {
    await superuser.query('insert into event_logs values ($1, 60000)', [organizationId])
    await superuser.query(
      `insert into events (organization_id, number, id, type, asset_id, subject, data, created_at)
       select $1, number, gen_random_uuid(), case number when 55000 then 'asset.failed' else 'asset.updated' end,
         case number when 59000 then $2::uuid end, 'x', '{"title":"rare"}', now()
       from generate_series(1, 60000) as number`,
      [organizationId, '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'],
    )
    const wish = { limit: 10, types: ['asset.failed'], assetId: null }
    const none = await readEvents(db, { ...wish, after: undefined })
    expect(none).toEqual({ events: [], after: 50_000, hasMore: true })
    const found = await readEvents(db, { ...wish, after: none.after })
    expect(found.events.map(({ number }) => number)).toEqual([55_000])
    expect([found.after, found.hasMore]).toEqual([60_000, false])
    const assetId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e' as AssetId
    const about = await readEvents(db, { limit: 10, types: [], assetId, after: undefined })
    expect(about.events.map(({ number }) => number)).toEqual([59_000])
    expect([about.after, about.hasMore]).toEqual([60_000, false])
  })

  it('is answered a few megabytes at a time, though each event may be half of one', async () => {
    await recordEvents(db, ...Array.from({ length: 30 }, () => folder('x'.repeat(500_000))))
    await settle()
    const wish = { types: [], assetId: null, limit: 1000 }
    const first = await readEvents(db, { ...wish, after: 0 })
    expect(first.events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect([first.after, first.hasMore]).toEqual([9, true])
    const second = await readEvents(db, { ...wish, types: ['folder.*'], after: 27 })
    expect(second.events).toHaveLength(3)
    expect([second.after, second.hasMore]).toEqual([30, false])
  })

  it('sees nothing of another organization', async () => {
    await recordEvents(db, folder('mine'))
    await settle()
    await using owner = openOwner()
    const other = database.forOrganization((await newOrganization(owner)).organizationId)
    await settleEvents(other, nothing)
    const { events } = await readEvents(other, {
      after: undefined,
      limit: 100,
      types: ['folder.*'],
      assetId: null,
    })
    expect(events).toEqual([])
  })
})

describe('what waits for its number', () => {
  it('gets it from the process that wrote it, soon', async () => {
    await using own = open(url)
    await using _publisher = startPublisher({
      database: own,
      onNumbered: nothing,
      onFailure: (error) => expect.fail(String(error)),
    })
    await recordEvents(own.forOrganization(organizationId), folder('published'))
    await expect.poll(() => titlesAfter(0), { interval: 20 }).toEqual(['published'])
  })

  it('or from a worker a second later, when that process died', async () => {
    await recordEvents(db, folder('forgotten'))
    const { signal } = new AbortController()
    await settleForgotten(worker, nothing, signal)
    expect(await titlesAfter(0)).toEqual([])
    const find = async () => {
      await settleForgotten(worker, nothing, signal)
      return titlesAfter(0)
    }
    await expect.poll(find, { timeout: 5000 }).toEqual(['forgotten'])
  })

  it('gets it though that of another cannot be had', async () => {
    await using owner = openOwner()
    const other = database.forOrganization((await newOrganization(owner)).organizationId)
    await recordEvents(db, folder('forgotten'))
    await superuser.query(
      `update event_outbox set created_at = created_at - interval '1 minute' where organization_id = any ($1)`,
      [[organizationId, other.organizationId]],
    )
    let turns = 0
    const failsAtFirst = () => {
      if (turns++ === 0) throw new Error('not this one')
      return []
    }
    const forgotten = settleForgotten(worker, failsAtFirst, new AbortController().signal)
    await expect(forgotten).rejects.toThrow('not this one')
    const ends = await Promise.all([db, other].map(lastNumber))
    expect(ends.some((last) => last > 0)).toBe(true)
  })
})

describe('weeks that are no longer kept', () => {
  it('go as a whole, and whoever would pass over them is told', async () => {
    const [{ week = '', kept = 0 } = {}] = await superuser.query<{ week: string; kept: number }>(
      `select week::text, (now() at time zone 'UTC')::date - (week + 7) as kept
       from (select date_trunc('week', now() at time zone 'UTC' - interval '40 days')::date as week) as old`,
    )
    const table = `event_weeks.events_${week.replaceAll('-', '')}`
    await superuser.query(`create table if not exists ${table} (like events including all)`)
    await superuser.query(
      `alter table events attach partition ${table} for values from ('${week} 00:00+00') to ('${week} 00:00+00'::timestamptz + interval '7 days')`,
    )
    await superuser.query('insert into event_logs values ($1, 2)', [organizationId])
    await superuser.query(
      `insert into events (organization_id, number, numbered_at, id, type, subject, data, created_at)
       select $1, number, '${week} 12:00+00', gen_random_uuid(), 'folder.updated', 'old', '{"title":"old"}', now()
       from generate_series(1, 2) as number`,
      [organizationId],
    )
    await recordEvents(db, folder('new'))
    await settle()
    expect(await titlesAfter(0)).toEqual(['old', 'old', 'new'])
    await keepEventWeeks(worker, kept + 1)
    expect(await titlesAfter(0)).toHaveLength(3)
    await keepEventWeeks(worker, kept)
    expect(await titlesAfter(2)).toEqual(['new'])
    await expect(titlesAfter(1)).rejects.toMatchObject({ code: 'events_expired' })
    await expect(titlesAfter(0)).rejects.toThrow('from 1 to 2')
    const [left] = await superuser.query<{ name: string | null }>(
      'select to_regclass($1) as name',
      [table],
    )
    expect(left?.name).toBeNull()
  })

  it('are those of our tables: what the operator keeps in the same schema is left alone', async () => {
    await superuser.query('create table kept_by_others (name text) partition by list (name)')
    try {
      await keepEventWeeks(worker, 30)
    } finally {
      await superuser.query('drop table kept_by_others')
    }
  })

  it('are for the worker to drop, not for the API', async () => {
    await expect(keepEventWeeks(database, 30)).rejects.toThrow('permission denied')
  })
})
