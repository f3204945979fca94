/** The guarantee of the log: a client that continues after a number misses nothing, despite concurrent writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import {
  about,
  type LoggedEvent,
  lastNumber,
  maintainEventPartitions,
  type NewEvent,
  numberBeforeLast,
  readEvents,
  recordEvents,
  sequenceEvents,
  sequenceMissed,
} from './events.ts'
import { startPublisher } from './publisher.ts'

const { DATABASE_URL: url, DATABASE_WORKER_URL: workerUrl } = stackEnv()
const open = (of: string) => new Database({ url: of, connectionsMax: 64, statementTimeoutSeconds: 30 }, () => {})

const database = await opened(Promise.resolve(open(url)))
const worker = await opened(Promise.resolve(open(workerUrl)))
const superuser = await opened(Superuser.open())

let organizationId: OrganizationId
let db: OrganizationDb
beforeEach(async () => {
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
  db = database.forOrganization(organizationId)
  // Delete the events that the creation of the organization has recorded.
  await superuser.query('delete from event_outbox where organization_id = $1', [organizationId])
  await superuser.query('delete from events where organization_id = $1', [organizationId])
  await superuser.query('delete from event_logs where organization_id = $1', [organizationId])
})

const nothing = () => []
const sequence = () => sequenceEvents(db, nothing)

const folder = (title: string, subject = 'one'): NewEvent =>
  about(subject, {
    type: 'folder.updated',
    data: { uuid: subject, title, parent: null, purge_at: null, external_id: null, metadata: {} },
  })

const titleOf = ({ data }: LoggedEvent) => (data as { title: string }).title

async function titlesAfter(after: number): Promise<string[]> {
  const { events } = await readEvents(db, { after, limit: 1000, types: [], assetId: null })
  return events.map(titleOf)
}

/** A transaction that commits when `finish` is called. */
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

describe('numbers of events', () => {
  it('follow the order of commits, not of writes', async () => {
    const early = slowly(folder('written first'))
    await early.isWritten
    await recordEvents(db, folder('written second'))
    await sequence()
    expect(await titlesAfter(0)).toEqual(['written second'])
    await early.commit()
    await sequence()
    expect(await titlesAfter(1)).toEqual(['written first'])
  })

  it('follow the order in which transactions acquired a lock', async () => {
    const lock = `select pg_advisory_xact_lock(hashtext('${organizationId}'))`
    const locking = { name: '', text: lock, values: () => [] }
    const isSuspended = Promise.withResolvers<void>()
    const mayGo = Promise.withResolvers<void>()
    const first = db.transaction(async (tx) => {
      await tx.run(locking)
      isSuspended.resolve()
      await mayGo.promise
      await recordEvents(tx, folder('locked first'))
    })
    await isSuspended.promise
    const second = db.transaction(async (tx) => {
      await recordEvents(tx, folder('of another subject', 'two'))
      await tx.run(locking)
      await recordEvents(tx, folder('locked second'))
    })
    mayGo.resolve()
    await Promise.all([first, second])
    await sequence()
    const locked = (await titlesAfter(0)).filter((title) => title.startsWith('locked'))
    expect(locked).toEqual(['locked first', 'locked second'])
  })

  it('are assigned only once by concurrent calls of sequenceEvents', async () => {
    await recordEvents(db, ...Array.from({ length: 300 }, (_, index) => folder(`${index}`)))
    await Promise.all(Array.from({ length: 8 }, sequence))
    expect(await titlesAfter(0)).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`))
  })

  it('are assigned to more than 1,000 waiting events', async () => {
    await db.transaction(async (tx) => {
      for (let index = 0; index < 1500; index++) await recordEvents(tx, folder(`${index}`))
    })
    await sequence()
    expect(await titlesAfter(1000)).toHaveLength(500)
  })

  it('increase with numbered_at, also after waiting for the lock', async () => {
    await recordEvents(db, folder('numbered first'))
    await sequence()
    await recordEvents(db, folder('numbered second'))
    const mayWait = Promise.withResolvers<void>()
    const hasBegun = Promise.withResolvers<void>()
    const late = db.transaction(async (tx) => {
      await tx.run({ name: '', text: 'select', values: () => [] })
      hasBegun.resolve()
      await mayWait.promise
      await sequenceEvents(tx, nothing)
    })
    await hasBegun.promise
    await sequence()
    await recordEvents(db, folder('numbered third'))
    mayWait.resolve()
    await late
    const inTime = await superuser.query<{ number: string }>(
      'select number from events where organization_id = $1 order by numbered_at, number',
      [organizationId],
    )
    expect(inTime.map(({ number }) => Number(number))).toEqual([1, 2, 3])
  })

  it('are not assigned to rolled-back events', async () => {
    const rejected = db.transaction(async (tx) => {
      await recordEvents(tx, folder('never'))
      await tx.run()
      throw new Error('rolled back')
    })
    await expect(rejected).rejects.toThrow('rolled back')
    await recordEvents(db, folder('this one'))
    await sequence()
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

/** Writes changes that pause between the event and the commit. Some of them are rolled back. */
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

/** Reads from the last number seen, like a client, until all events are written. */
async function follow(isOver: () => boolean): Promise<LoggedEvent[]> {
  const seen: LoggedEvent[] = []
  for (let isLast = false; ; ) {
    await sequence()
    const query = { after: seen.at(-1)?.number ?? 0, limit: 7, types: [], assetId: null }
    const { events, hasMore } = await readEvents(db, query)
    seen.push(...events)
    if (isLast && !hasMore) return seen
    isLast = isOver()
    await sleep(1)
  }
}

describe('a reader of the event log', () => {
  it('gets every event exactly once despite a dozen concurrent writers', async () => {
    let isOver = false
    const readers = Array.from({ length: 4 }, () => follow(() => isOver))
    const writers = Array.from({ length: WRITERS }, (_, index) => write(`writer ${index}`, Math.random))
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

  it('continues after events that its filter excluded', async () => {
    await recordEvents(db, folder('one'), folder('two'), folder('three'))
    await sequence()
    const none = await readEvents(db, { after: 0, limit: 10, types: ['asset.*'], assetId: null })
    expect(none).toEqual({ events: [], after: 3, hasMore: false })
    const both = { types: ['folder.*', 'token.created'], assetId: null }
    const some = await readEvents(db, { after: 0, limit: 2, ...both })
    expect([some.events.map(titleOf), some.after, some.hasMore]).toEqual([['one', 'two'], 2, true])
  })

  it('scans at most 50,000 events per request for a rare type; the next request continues from there', async () => {
    await superuser.query('insert into event_logs values ($1, 60000)', [organizationId])
    await superuser.query(
      `insert into events (organization_id, number, id, type, asset_id, subject, data, created_at)
       select $1, number, gen_random_uuid(), case number when 55000 then 'asset.failed' else 'asset.updated' end,
         case number when 59000 then $2::uuid end, 'x', '{"title":"rare"}', now()
       from generate_series(1, 60000) as number`,
      [organizationId, '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'],
    )
    const query = { limit: 10, types: ['asset.failed'], assetId: null }
    const none = await readEvents(db, { ...query, after: undefined })
    expect(none).toEqual({ events: [], after: 50_000, hasMore: true })
    const found = await readEvents(db, { ...query, after: none.after })
    expect(found.events.map(({ number }) => number)).toEqual([55_000])
    expect([found.after, found.hasMore]).toEqual([60_000, false])
    const assetId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e' as AssetId
    const about = await readEvents(db, { limit: 10, types: [], assetId, after: undefined })
    expect(about.events.map(({ number }) => number)).toEqual([59_000])
    expect([about.after, about.hasMore]).toEqual([60_000, false])
  })

  it('gets at most a few megabytes per request', async () => {
    await recordEvents(db, ...Array.from({ length: 30 }, () => folder('x'.repeat(500_000))))
    await sequence()
    const query = { types: [], assetId: null, limit: 1000 }
    const first = await readEvents(db, { ...query, after: 0 })
    expect(first.events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect([first.after, first.hasMore]).toEqual([9, true])
    const second = await readEvents(db, { ...query, types: ['folder.*'], after: 27 })
    expect(second.events).toHaveLength(3)
    expect([second.after, second.hasMore]).toEqual([30, false])
  })

  it('gets no events of another organization', async () => {
    await recordEvents(db, folder('mine'))
    await sequence()
    await using owner = openOwner()
    const other = database.forOrganization((await newOrganization(owner)).organizationId)
    await sequenceEvents(other, nothing)
    const { events } = await readEvents(other, {
      after: undefined,
      limit: 100,
      types: ['folder.*'],
      assetId: null,
    })
    expect(events).toEqual([])
  })
})

describe('an event in the outbox', () => {
  it('is soon sequenced by the process that wrote it', async () => {
    await using own = open(url)
    await using _publisher = startPublisher({
      database: own,
      onSequenced: nothing,
      onFailure: (error) => expect.fail(String(error)),
    })
    await recordEvents(own.forOrganization(organizationId), folder('published'))
    await expect.poll(() => titlesAfter(0), { interval: 20 }).toEqual(['published'])
  })

  it('is sequenced by a worker a second later if the process that wrote it died', async () => {
    await recordEvents(db, folder('forgotten'))
    const { signal } = new AbortController()
    const setAge = (age: string) =>
      superuser.query('update event_outbox set created_at = now() - $2::interval where organization_id = $1', [
        organizationId,
        age,
      ])
    await setAge('-30 seconds')
    await sequenceMissed(worker, nothing, signal)
    expect(await titlesAfter(0)).toEqual([])
    await setAge('1 second')
    await sequenceMissed(worker, nothing, signal)
    expect(await titlesAfter(0)).toEqual(['forgotten'])
    await recordEvents(db, folder('from the future'))
    await setAge('-1 hour')
    await sequenceMissed(worker, nothing, signal)
    expect(await titlesAfter(1), 'the clock was an hour ahead').toEqual(['from the future'])
  })

  it('is sequenced even if sequencing fails for another organization', async () => {
    await using owner = openOwner()
    const other = database.forOrganization((await newOrganization(owner)).organizationId)
    await recordEvents(db, folder('forgotten'))
    await superuser.query(
      `update event_outbox set created_at = created_at - interval '1 minute' where organization_id = any ($1)`,
      [[organizationId, other.organizationId]],
    )
    let turns = 0
    const failsAtFirst = () => {
      if (turns++ === 0) throw new Error('first organization fails')
      return []
    }
    const forgotten = sequenceMissed(worker, failsAtFirst, new AbortController().signal)
    await expect(forgotten).rejects.toThrow('first organization fails')
    const bounds = await Promise.all([db, other].map(lastNumber))
    expect(bounds.some((last) => last > 0)).toBe(true)
  })
})

describe('a log that lost its last events, by a failover to an asynchronous standby or a restore', () => {
  /** Sets the log back to a number, as it is on a server with a later timeline. */
  const loseAfter = async (number: number) => {
    await superuser.query('delete from events where organization_id = $1 and number > $2', [organizationId, number])
    await superuser.query('update event_logs set last_number = $2, timeline = 0 where organization_id = $1', [
      organizationId,
      number,
    ])
  }
  /** Reads page after page, as clients do. */
  const allAfter = async (from: number): Promise<string[]> => {
    const { events, after, hasMore } = await readEvents(db, { after: from, limit: 1000, types: [], assetId: null })
    return [...events.map(titleOf), ...(hasMore ? await allAfter(after) : [])]
  }
  const writeAll = async (...titles: string[]) => {
    for (const title of titles) await recordEvents(db, folder(title))
    await sequence()
  }

  it('rejects clients that have seen a lost event, also when it is longer again', async () => {
    await writeAll('1', '2', '3', '4', '5', '6')
    await loseAfter(4)
    await expect(titlesAfter(6)).rejects.toMatchObject({ code: 'events_expired' })
    await writeAll('new 5', 'new 6')
    await expect(titlesAfter(5)).rejects.toMatchObject({ code: 'events_expired' })
    await expect(titlesAfter(6)).rejects.toMatchObject({ code: 'events_expired' })
  })

  it('is continued by clients that have seen no lost event, without a gap', async () => {
    await writeAll('1', '2', '3', '4', '5', '6')
    await loseAfter(4)
    await writeAll('new 5', 'new 6')
    expect(await allAfter(3)).toEqual(['4', 'new 5', 'new 6'])
    expect(await allAfter(4)).toEqual(['new 5', 'new 6'])
    const last = await lastNumber(db)
    expect(await allAfter(last - 1)).toEqual(['new 6'])
    expect(last).toBeGreaterThan(2 ** 40)
    expect(await allAfter(await numberBeforeLast(db, 3))).toEqual(['4', 'new 5', 'new 6'])
    await writeAll('7')
    expect(await lastNumber(db), 'the range changes once').toBe(last + 1)
  })

  it('returns the number at which clients continue, and filtered reads cross the gap', async () => {
    await writeAll('1', '2')
    await loseAfter(1)
    await writeAll('new 2')
    const error = (await titlesAfter(2).catch((failure: unknown) => failure)) as Error
    expect(await titlesAfter(Number(/after=(\d+)/.exec(error.message)?.[1]))).toEqual(['new 2'])
    const first = await readEvents(db, { after: 0, limit: 10, types: ['asset.*'], assetId: null })
    expect(first.events).toEqual([])
    expect(await titlesAfter(first.after)).toEqual(first.hasMore ? ['new 2'] : [])
  })
})

describe('old partitions of the event log', () => {
  const dropUpTo = (number: number) =>
    superuser.query('delete from events where organization_id = $1 and number <= $2', [organizationId, number])

  it('do not concern a client that has read all of their events, also across a failover', async () => {
    for (const title of ['1', '2', '3']) await recordEvents(db, folder(title))
    await sequence()
    await superuser.query('update event_logs set timeline = 0 where organization_id = $1', [organizationId])
    for (const title of ['new 4', 'new 5']) await recordEvents(db, folder(title))
    await sequence()
    const last = await lastNumber(db)
    const firstOfRange = last - 1
    const { after } = await readEvents(db, { after: 3, limit: 10, types: ['asset.*'], assetId: null })
    expect(after, 'skips the unused numbers').toBeGreaterThanOrEqual(firstOfRange - 1)

    await dropUpTo(3)
    expect((await readEvents(db, { after: 3, limit: 10, types: [], assetId: null })).hasMore).toBe(true)
    await expect(titlesAfter(2)).rejects.toMatchObject({ code: 'events_expired' })
    await dropUpTo(firstOfRange)
    await expect(titlesAfter(3)).rejects.toMatchObject({ code: 'events_expired' })
    expect(await titlesAfter(firstOfRange)).toEqual(['new 5'])
    await dropUpTo(last)
    await expect(titlesAfter(firstOfRange)).rejects.toMatchObject({ code: 'events_expired' })
    expect(await titlesAfter(last)).toEqual([])
  })

  it('are dropped, and readers that would skip them get an error', async () => {
    const [{ week = '', age = 0 } = {}] = await superuser.query<{ week: string; age: number }>(
      `select week::text, (now() at time zone 'UTC')::date - (week + 7) as age
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
    await sequence()
    expect(await titlesAfter(0)).toEqual(['old', 'old', 'new'])
    await maintainEventPartitions(worker, age + 1)
    expect(await titlesAfter(0)).toHaveLength(3)
    await maintainEventPartitions(worker, age)
    expect(await titlesAfter(2)).toEqual(['new'])
    await expect(titlesAfter(1)).rejects.toMatchObject({ code: 'events_expired' })
    await expect(titlesAfter(0)).rejects.toThrow('Events 1 to 2')
    const [left] = await superuser.query<{ name: string | null }>('select to_regclass($1) as name', [table])
    expect(left?.name).toBeNull()
  })

  it('are dropped only from tables of events and webhook deliveries; other tables are ignored', async () => {
    await superuser.query('create table kept_by_others (name text) partition by list (name)')
    try {
      await maintainEventPartitions(worker, 30)
    } finally {
      await superuser.query('drop table kept_by_others')
    }
  })

  it('can be dropped by the worker role and not by the API role', async () => {
    await expect(maintainEventPartitions(database, 30)).rejects.toThrow('permission denied')
  })
})
