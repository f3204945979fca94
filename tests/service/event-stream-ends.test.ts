/** How live streams of events end, and what they outlive. */
import type { tokens } from '@reelkeep/contract'
import { type ApiProcess, type Caller, EventFeed } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder, follow, openStreamStage, titlesIn } from './stream-stage.ts'

const stage = await opened(openStreamStage('event_stream_ends'))
const api = await opened(stage.startApi())

let caller: Caller
beforeEach(async () => {
  caller = await stage.newCaller(api)
})

/** How many the instance says that it serves. */
async function openStreams({ operationsUrl }: ApiProcess): Promise<number> {
  const metrics = await (await fetch(`${operationsUrl}/metrics`)).text()
  return Number(/^reelkeep_event_streams (\d+)$/m.exec(metrics)?.[1])
}

/** Until the place from which it can go on is known. */
async function followFrom(instance: ApiProcess, who = caller): Promise<EventFeed> {
  const feed = await follow(instance, who)
  await expect.poll(() => feed.lastEventId).toBeDefined()
  return feed
}

describe('an instance that is told to stop', () => {
  it('ends its streams at once, and who comes back elsewhere misses nothing', async () => {
    await using stopping = await stage.startApi({ DRAIN_SECONDS: '5' })
    const feed = await followFrom(stopping)
    await stage.write(caller, folder('before'))
    await expect.poll(() => titlesIn(feed)).toEqual(['before'])
    const stopped = stopping.stop('SIGTERM')
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    await stage.write(caller, folder('meanwhile'))
    // It still serves, but no stream: whoever has not heard of it is sent away the same way.
    const late = await follow(stopping, caller)
    expect(late.status).toBe(200)
    await expect.poll(() => late.isOver, { interval: 20 }).toBe(true)
    await using resumed = await follow(api, caller, { lastEventId: feed.lastEventId })
    await expect.poll(() => titlesIn(resumed)).toEqual(['meanwhile'])
    expect(await stopped).toBe(0)
  })
})

describe('a stream', () => {
  it('ends when its time is up', async () => {
    await using brief = await stage.startApi({ EVENT_STREAM_SECONDS: '1' })
    const start = performance.now()
    const feed = await follow(brief, caller)
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    expect(performance.now() - start).toBeGreaterThan(900)
    await expect.poll(() => openStreams(brief)).toBe(0)
  })

  it('ends when its token is revoked, and others of the organization go on', async () => {
    const wish = { name: 'For a while', scopes: ['events:read'] }
    const { body } = await caller.post<tokens.NewToken>('tokens/', wish)
    const revoked = await followFrom(api, caller.withToken(body.token))
    await using staying = await followFrom(api)
    expect((await caller.delete(`tokens/${body.id}/`)).status).toBe(204)
    await expect.poll(() => revoked.isOver, { timeout: 5000 }).toBe(true)
    expect(staying.isOver).toBe(false)
  })

  it('ends when its token has expired', async () => {
    const expires_at = new Date(Date.now() + 10_000).toISOString()
    const wish = { name: 'For ten seconds', scopes: ['events:read'], expires_at }
    const { body } = await caller.post<tokens.NewToken>('tokens/', wish)
    const feed = await followFrom(api, caller.withToken(body.token))
    await expect.poll(() => feed.isOver, { timeout: 30_000 }).toBe(true)
    expect(Date.now()).toBeGreaterThan(Date.parse(expires_at))
  })

  it('is let go of when its caller has gone', async () => {
    const before = await openStreams(api)
    const feeds = await Promise.all(Array.from({ length: 10 }, () => follow(api, caller)))
    await expect.poll(() => openStreams(api)).toBe(before + 10)
    for (const feed of feeds) await feed[Symbol.asyncDispose]()
    await expect.poll(() => openStreams(api)).toBe(before)
  })
})

describe('who does not read', () => {
  /** More than the buffers of both sides hold. */
  const EVENTS = 20_000
  const LETTERS = 1000

  /** The last number before them. */
  let after: number
  beforeEach(async () => {
    after = (await caller.get<{ after: number }>('events/')).body.after
    await stage.superuser.query(
      `insert into events (organization_id, number, id, type, subject, data, created_at)
       select $1, $2::bigint + number, gen_random_uuid(), 'folder.updated', 'x',
         jsonb_build_object('title', repeat('x', $4)), now()
       from generate_series(1, $3::integer) as number`,
      [caller.organizationId, after, EVENTS, LETTERS],
    )
    await stage.superuser.query(
      `insert into event_logs (organization_id, last_number) values ($1, $2)
       on conflict (organization_id) do update set last_number = $2`,
      [caller.organizationId, after + EVENTS],
    )
  })

  /** Whether the log has been read since, and is read no more, though there is more of it. */
  async function hasStalledSince(since: string | undefined): Promise<boolean | undefined> {
    const [row] = await stage.superuser.query<{ hasStalled: boolean }>(
      `select max(query_start) between $1 and clock_timestamp() - interval '1 second' as "hasStalled"
       from pg_stat_activity
       where datname = current_database() and usename = 'reelkeep_api' and query like '%from events%'`,
      [since],
    )
    return row?.hasStalled
  }

  it('is cut off, and can have it all when it reads', async () => {
    const wish = { baseUrl: api.baseUrl, caller, query: `?after=${after}` }
    await using unread = await EventFeed.openUnread(wish)
    expect(unread.status).toBe(200)
    await expect.poll(() => openStreams(api)).toBe(1)
    await expect.poll(() => openStreams(api), { timeout: 15_000 }).toBe(0)
    await using feed = await EventFeed.open(wish)
    await expect.poll(() => feed.messages.length, { timeout: 30_000 }).toBe(EVENTS)
    expect(feed.messages.at(-1)?.id).toBe(String(after + EVENTS))
    expect(await openStreams(api)).toBe(1)
  })

  it('is not waited for by an instance that is told to stop', async () => {
    await using stopping = await stage.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '60' })
    const wish = { baseUrl: stopping.baseUrl, caller, query: `?after=${after}` }
    const [now] = await stage.superuser.query<{ at: string }>(
      `select clock_timestamp()::text as at`,
    )
    await using _unread = await EventFeed.openUnread(wish)
    await expect.poll(() => hasStalledSince(now?.at)).toBe(true)
    expect(await openStreams(stopping)).toBe(1)
    const start = performance.now()
    expect(await stopping.stop('SIGTERM')).toBe(0)
    expect(performance.now() - start).toBeLessThan(30_000)
  })
})

describe('more streams than there may be', () => {
  it('429 for an organization that has as many as it may, 503 for one instance that has', async () => {
    const limits = { EVENT_STREAMS_MAX: '3', EVENT_STREAMS_PER_ORGANIZATION_MAX: '2' }
    await using small = await stage.startApi(limits)
    const one = await stage.newCaller(small)
    const two = await stage.newCaller(small)
    const first = await followFrom(small, one)
    await using _second = await followFrom(small, one)
    const third = await one.get('events/stream/')
    expect([third.status, third.body.code]).toEqual([429, 'too_many_streams'])
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0)
    await using _theirs = await followFrom(small, two)
    const fourth = await two.get('events/stream/')
    expect([fourth.status, fourth.body.code]).toEqual([503, 'unavailable'])
    expect(Number(fourth.headers['retry-after'])).toBeGreaterThan(0)
    await first[Symbol.asyncDispose]()
    await expect.poll(() => openStreams(small)).toBe(2)
    await using _again = await followFrom(small, two)
  })
})

describe('connections to Postgres that break', () => {
  it('keep nobody from what happens meanwhile', async () => {
    await using feed = await followFrom(api)
    for (let round = 0; round < 3; round++) {
      expect(await stage.endConnections('%')).toBeGreaterThan(1)
      // The connections of whoever writes were ended as well.
      await expect.poll(() => isWritten(`${round}`)).toBe(true)
      const expected = Array.from({ length: round + 1 }, (_, index) => `${index}`)
      await expect.poll(() => titlesIn(feed)).toEqual(expected)
    }
    expect(feed.isOver).toBe(false)
  })

  it('nor does the one alone that listens', async () => {
    await using feed = await followFrom(api)
    // It may be about to come back from the test before.
    await expect.poll(() => stage.endConnections('reelkeep listener')).toBeGreaterThan(0)
    await stage.write(caller, folder('while nobody listens'))
    await expect.poll(() => titlesIn(feed)).toEqual(['while nobody listens'])
  })

  it('nor from being led to where the organization has gone meanwhile', async () => {
    await using calm = await stage.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '60' })
    await using feed = await followFrom(calm)
    // A look now and then finds it as well, but the next one is five seconds away.
    await tellByLook('found by looking')
    await expect.poll(() => titlesIn(feed), { timeout: 12_000 }).toEqual(['found by looking'])
    const start = performance.now()
    await stage.superuser.query(
      `insert into held_organizations (organization_id, why) values ($1, 'gone')`,
      [caller.organizationId],
    )
    expect(await stage.endConnections('reelkeep listener')).toBeGreaterThan(0)
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    expect(performance.now() - start).toBeLessThan(4000)
  })

  const isWritten = (title: string) =>
    stage.write(caller, folder(title)).then(
      () => true,
      () => false,
    )
})

it('an event of a process that died before it had a number is told all the same', async () => {
  await using feed = await followFrom(api)
  await tellByLook('left behind')
  await expect.poll(() => titlesIn(feed), { timeout: 12_000 }).toEqual(['left behind'])
})

/** Nobody is told of what a superuser writes. */
const tellByLook = (title: string) =>
  stage.superuser.query(
    `insert into event_outbox (organization_id, type, subject, data)
     values ($1, 'folder.updated', 'x', jsonb_build_object('title', $2::text))`,
    [caller.organizationId, title],
  )
