/** How live event streams end, and which failures they survive. */
import type { tokens } from '@reelkeep/contract'
import { type ApiProcess, type Caller, EventFeed } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder, follow, openStreamFixture, titlesIn } from './stream-fixture.ts'

const fixture = await opened(openStreamFixture('event_stream_ends'))
const api = await opened(fixture.startApi())

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newCaller(api)
})

/** Number of open streams according to the metrics. */
async function openStreams({ operationsUrl }: ApiProcess): Promise<number> {
  const metrics = await (await fetch(`${operationsUrl}/metrics`)).text()
  return Number(/^reelkeep_event_streams (\d+)$/m.exec(metrics)?.[1])
}

/** Opens a stream and waits until it has an ID to resume from. */
async function followFrom(instance: ApiProcess, who = caller): Promise<EventFeed> {
  const feed = await follow(instance, who)
  await expect.poll(() => feed.lastEventId).toBeDefined()
  return feed
}

describe('an instance that is stopped', () => {
  it('ends its streams at once, and a client that reconnects to another instance misses no event', async () => {
    await using stopping = await fixture.startApi({ DRAIN_SECONDS: '5' })
    const feed = await followFrom(stopping)
    await fixture.write(caller, folder('before'))
    await expect.poll(() => titlesIn(feed)).toEqual(['before'])
    const stopped = stopping.stop('SIGTERM')
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    await fixture.write(caller, folder('meanwhile'))
    // The stopping instance still serves requests, but ends new streams at once.
    const late = await follow(stopping, caller)
    expect(late.status).toBe(200)
    await expect.poll(() => late.isOver, { interval: 20 }).toBe(true)
    await using resumed = await follow(api, caller, { lastEventId: feed.lastEventId })
    await expect.poll(() => titlesIn(resumed)).toEqual(['meanwhile'])
    expect(await stopped).toBe(0)
  })
})

describe('an event stream', () => {
  it('ends after its maximum lifetime', async () => {
    await using brief = await fixture.startApi({ EVENT_STREAM_SECONDS: '1' })
    const start = performance.now()
    const feed = await follow(brief, caller)
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    expect(performance.now() - start).toBeGreaterThan(900)
    await expect.poll(() => openStreams(brief)).toBe(0)
  })

  it('ends when its token is revoked; other streams of the organization continue', async () => {
    const input = { name: 'For a while', scopes: ['events:read'] }
    const { body } = await caller.post<tokens.NewToken>('tokens/', input)
    const revoked = await followFrom(api, caller.withToken(body.token))
    await using staying = await followFrom(api)
    expect((await caller.delete(`tokens/${body.id}/`)).status).toBe(204)
    await expect.poll(() => revoked.isOver).toBe(true)
    expect(staying.isOver).toBe(false)
  })

  it.each([
    ['revoked', (id: string) => caller.delete(`tokens/${id}/`)],
    [
      'revoked with its creator',
      async (id: string) => {
        const { body } = await caller.get<tokens.Token>(`tokens/${id}/`)
        return caller.delete(`tokens/${body.created_by.id}/?descendants=true`)
      },
    ],
    ['rotated without overlap', (id: string) => caller.post(`tokens/${id}/rotate/`, { overlap_seconds: 0 })],
  ] as const)('ends without a heartbeat when its token is %s on another instance', async (_, end) => {
    await using quiet = await fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '300' })
    const creator = await caller.post<tokens.NewToken>('tokens/', { name: 'Creator', scopes: ['*'] })
    const input = { name: 'For a while', scopes: ['events:read'] }
    const { body } = await caller.withToken(creator.body.token).post<tokens.NewToken>('tokens/', input)
    const feed = await followFrom(quiet, caller.withToken(body.token))
    await using staying = await followFrom(quiet)
    expect((await end(body.id)).status).toBeLessThan(300)
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
    expect(staying.isOver).toBe(false)
  })

  it('ends without a heartbeat if its token was revoked just before it was opened', async () => {
    await using quiet = await fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '300' })
    const { body } = await caller.post<tokens.NewToken>('tokens/', { name: 'Short', scopes: ['events:read'] })
    const holder = caller.withToken(body.token)
    // The instance caches the token for two seconds.
    await using first = await followFrom(quiet, holder)
    await caller.delete(`tokens/${body.id}/`)
    const late = await follow(quiet, holder)
    if (late.status === 200) await expect.poll(() => late.isOver, { interval: 20 }).toBe(true)
    else expect(late.status).toBe(401)
    await expect.poll(() => first.isOver, { interval: 20 }).toBe(true)
  })

  it('ends when its token has expired, without a heartbeat', async () => {
    await using quiet = await fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '300' })
    const expires_at = new Date(Date.now() + 15_000).toISOString()
    const { body } = await caller.post<tokens.NewToken>('tokens/', {
      name: 'Short',
      scopes: ['events:read'],
      expires_at,
    })
    const feed = await follow(quiet, caller.withToken(body.token))
    expect(feed.status).toBe(200)
    await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
  })

  it('ends when its token is found to have expired', async () => {
    const input = {
      name: 'For a while',
      scopes: ['events:read'],
      expires_at: '2031-01-01T00:00:00Z',
    }
    const { body } = await caller.post<tokens.NewToken>('tokens/', input)
    const feed = await followFrom(api, caller.withToken(body.token))
    // The first heartbeat checks the token and finds it valid.
    await expect.poll(() => feed.comments.length).toBeGreaterThan(1)
    expect(feed.isOver).toBe(false)
    const expire = 'update tokens set expires_at = now() where id = $1'
    await fixture.superuser.query(expire, [body.id])
    await expect.poll(() => feed.isOver).toBe(true)
  })

  it('is closed when its client disconnects', async () => {
    const before = await openStreams(api)
    const feeds = await Promise.all(Array.from({ length: 10 }, () => follow(api, caller)))
    await expect.poll(() => openStreams(api)).toBe(before + 10)
    for (const feed of feeds) await feed[Symbol.asyncDispose]()
    await expect.poll(() => openStreams(api)).toBe(before)
  })
})

describe('a client that does not read its event stream', () => {
  /** Number of events: more than fit into the buffers of client and server. */
  const EVENTS = 20_000
  const LETTERS = 1000

  /** The last sequence number before the events of the test. */
  let after: number
  beforeEach(async () => {
    after = (await caller.get<{ after: number }>('events/')).body.after
    await fixture.superuser.query(
      `insert into events (organization_id, number, id, type, subject, data, created_at)
       select $1, $2::bigint + number, gen_random_uuid(), 'folder.updated', 'x',
         jsonb_build_object('title', repeat('x', $4)), now()
       from generate_series(1, $3::integer) as number`,
      [caller.organizationId, after, EVENTS, LETTERS],
    )
    await fixture.superuser.query(
      `insert into event_logs (organization_id, last_number) values ($1, $2)
       on conflict (organization_id) do update set last_number = $2`,
      [caller.organizationId, after + EVENTS],
    )
  })

  /** Whether the service has read the log since the given time, and then not again for a second. */
  async function hasStalledSince(since: string | undefined): Promise<boolean | undefined> {
    const [row] = await fixture.superuser.query<{ hasStalled: boolean }>(
      `select max(query_start) between $1 and clock_timestamp() - interval '1 second' as "hasStalled"
       from pg_stat_activity
       where datname = current_database() and usename = 'reelkeep_api' and query like '%from events%'`,
      [since],
    )
    return row?.hasStalled
  }

  it('is disconnected, and gets all events when it connects and reads again', async () => {
    const input = { baseUrl: api.baseUrl, caller, query: `?after=${after}` }
    await using unread = await EventFeed.openUnread(input)
    expect(unread.status).toBe(200)
    await expect.poll(() => openStreams(api)).toBe(1)
    await expect.poll(() => openStreams(api)).toBe(0)
    await using feed = await EventFeed.open(input)
    await expect.poll(() => feed.messages.length).toBe(EVENTS)
    expect(feed.messages.at(-1)?.id).toBe(String(after + EVENTS))
    expect(await openStreams(api)).toBe(1)
  })

  it('does not delay the shutdown of an instance', async () => {
    // A stalled stream is ended after two heartbeats. With this setting, that is later than any test may end.
    await using stopping = await fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '300' })
    const input = { baseUrl: stopping.baseUrl, caller, query: `?after=${after}` }
    const [now] = await fixture.superuser.query<{ at: string }>(`select clock_timestamp()::text as at`)
    await using _unread = await EventFeed.openUnread(input)
    await expect.poll(() => hasStalledSince(now?.at)).toBe(true)
    expect(await openStreams(stopping)).toBe(1)
    expect(await stopping.stop('SIGTERM')).toBe(0)
  })
})

describe('requests for too many event streams', () => {
  it('get 429 beyond the limit of the organization and 503 beyond the limit of the instance', async () => {
    const limits = { EVENT_STREAMS_MAX: '3', EVENT_STREAMS_PER_ORGANIZATION_MAX: '2' }
    await using small = await fixture.startApi(limits)
    const one = await fixture.newCaller(small)
    const two = await fixture.newCaller(small)
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

describe('events reach event streams', () => {
  it('although all connections to Postgres break repeatedly', async () => {
    await using feed = await followFrom(api)
    for (let round = 0; round < 3; round++) {
      expect(await fixture.endConnections('%')).toBeGreaterThan(1)
      // Retries the write, because the connections of the writer were also ended.
      await expect.poll(() => isWritten(`${round}`)).toBe(true)
      const expected = Array.from({ length: round + 1 }, (_, index) => `${index}`)
      await expect.poll(() => titlesIn(feed)).toEqual(expected)
    }
    expect(feed.isOver).toBe(false)
  })

  it('although the connection of the listener breaks', async () => {
    await using feed = await followFrom(api)
    // The listener may still be reconnecting after the previous test.
    await expect.poll(() => fixture.endConnections('reelkeep listener')).toBeGreaterThan(0)
    await fixture.write(caller, folder('while no listener is connected'))
    await expect.poll(() => titlesIn(feed)).toEqual(['while no listener is connected'])
  })

  const isWritten = (title: string) =>
    fixture.write(caller, folder(title)).then(
      () => true,
      () => false,
    )
})

it('an event of a process that died before sequencing it is delivered', async () => {
  await using feed = await followFrom(api)
  await tellByLook('left behind')
  await expect.poll(() => titlesIn(feed)).toEqual(['left behind'])
})

/** Records an event as the superuser, so that no notification is sent. */
const tellByLook = (title: string) =>
  fixture.superuser.query(
    `insert into event_outbox (organization_id, type, subject, data)
     values ($1, 'folder.updated', 'x', jsonb_build_object('title', $2::text))`,
    [caller.organizationId, title],
  )
