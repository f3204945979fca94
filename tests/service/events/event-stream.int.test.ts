/** Tests the contents of a live event stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { events } from '@reelkeep/contract'
import type { AssetId } from '@reelkeep/server/kernel/ids.ts'
import { about, aboutAsset } from '@reelkeep/server/modules/events/events.ts'
import { type Caller, openSession } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder, follow, openStreamFixture, titleOf, titlesIn } from './stream-fixture.ts'

const fixture = await opened(openStreamFixture('event_stream'))
const api = await opened(fixture.startApi())
/** An instance that sends no heartbeat during a test. */
const quiet = await opened(fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '60' }))

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newCaller(api)
})

const logOf = async (from: Caller, query = '') =>
  (await from.get<{ after: number; results: events.Event[] }>(`events/${query}`)).body

const chapters = (assetId: string) =>
  aboutAsset(assetId as AssetId, {
    type: 'chapter.created',
    data: { asset_id: assetId, chapters: [] },
  })

describe('an event stream', () => {
  it('delivers events committed by another instance, exactly as in the log', async () => {
    await using feed = await follow(api, caller)
    expect(feed.status).toBe(200)
    expect(feed.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    for (let round = 0; round < 5; round++) {
      await fixture.write(caller, folder(`${round}`))
      await expect.poll(() => feed.messages.length).toBe(round + 1)
    }
    const { results } = await logOf(caller, '?types=folder.*')
    expect(feed.messages.map(({ data }) => data)).toEqual(results)
    expect(feed.messages.map(({ id, type }) => [id, type])).toEqual(
      results.map(({ number, type }) => [String(number), type]),
    )
  })

  it('starts with new events unless the request has a position', async () => {
    await fixture.write(caller, folder('before'))
    await using feed = await follow(api, caller)
    await fixture.write(caller, folder('after'))
    await expect.poll(() => titlesIn(feed)).toEqual(['after'])
    const before = Number(feed.messages[0]?.id) - 2
    await using later = await follow(api, caller, { query: `?after=${before}` })
    await expect.poll(() => titlesIn(later)).toEqual(['before', 'after'])
    const input = { query: `?after=${before}`, lastEventId: String(before + 1) }
    await using resumed = await follow(api, caller, input)
    await expect.poll(() => titlesIn(resumed)).toEqual(['after'])
  })

  it('sends its position before the first event, so that a client that disconnects early misses no event', async () => {
    const feed = await follow(quiet, caller)
    await expect.poll(() => feed.lastEventId).toBeDefined()
    await feed[Symbol.asyncDispose]()
    await fixture.write(caller, folder('meanwhile'))
    await using again = await follow(api, caller, { lastEventId: feed.lastEventId })
    await expect.poll(() => titlesIn(again)).toEqual(['meanwhile'])
  })

  it('filters by type and by asset', async () => {
    const [one, two] = await Promise.all([openSession(caller), openSession(caller)])
    await using onlyFolders = await follow(api, caller, { query: '?types=folder.*,token.created' })
    await using onlyOne = await follow(api, caller, { query: `?asset_id=${one.asset.id}` })
    await using both = await follow(api, caller, {
      query: `?types=chapter.created&asset_id=${two.asset.id}`,
    })
    const events = [folder('one'), chapters(one.asset.id), chapters(two.asset.id), folder('two')]
    await fixture.write(caller, ...events)
    await expect.poll(() => titlesIn(onlyFolders)).toEqual(['one', 'two'])
    const assets = (feed: typeof both) => feed.messages.map(({ data }) => data['asset_id'])
    await expect.poll(() => assets(both)).toEqual([two.asset.id])
    await expect.poll(() => assets(onlyOne)).toEqual([one.asset.id])
  })

  it('never delivers events of another organization', async () => {
    const neighbour = await fixture.newCaller(api)
    await using feed = await follow(api, caller)
    await using theirs = await follow(api, neighbour)
    await fixture.write(neighbour, folder('theirs'))
    await expect.poll(() => titlesIn(theirs)).toEqual(['theirs'])
    await fixture.write(caller, folder('ours'))
    await expect.poll(() => titlesIn(feed)).toEqual(['ours'])
    expect(titlesIn(theirs)).toEqual(['theirs'])
    expect((await neighbour.at(caller.organizationId).get('events/stream/')).status).toBe(404)
  })

  it('sends heartbeats while there are no events, with the position after filtered events', async () => {
    await using feed = await follow(api, caller, { query: '?types=asset.*' })
    await fixture.write(caller, folder('left out'), folder('as well'))
    const { after } = await logOf(caller)
    await expect.poll(() => feed.comments.length).toBeGreaterThanOrEqual(2)
    await expect.poll(() => feed.lastEventId).toBe(String(after))
    expect(feed.messages).toEqual([])
  })

  it('returns 410 if events after the given number have been deleted', async () => {
    await fixture.superuser.query('update event_logs set last_number = 7 where organization_id = $1', [
      caller.organizationId,
    ])
    await fixture.superuser.query(
      'insert into event_logs (organization_id, last_number) values ($1, 7) on conflict do nothing',
      [caller.organizationId],
    )
    const { status, body } = await caller.get('events/stream/', { 'last-event-id': '3' })
    expect([status, body.code]).toEqual([410, 'events_expired'])
  })

  it('returns 400 and names the header for an invalid Last-Event-ID', async () => {
    const { status, body } = await caller.get('events/stream/', { 'last-event-id': 'words' })
    expect([status, body.errors[0]?.field]).toEqual([400, 'Last-Event-ID'])
  })

  it('responds to HEAD without a body', async () => {
    const { status, headers } = await caller.send('HEAD', 'events/stream/')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
  })
})

const WRITERS = 8
const EVENTS_EACH = 60
const CONNECTIONS_MAX = 200

describe('a client of the event stream that is disconnected repeatedly', () => {
  it('gets every event exactly once, on any instance, during many writes', async () => {
    const { after } = await logOf(caller)
    const writing = Promise.all(
      Array.from({ length: WRITERS }, async (_, index) => {
        for (let event = 0; event < EVENTS_EACH; event++) {
          await fixture.write(caller, folder(`${index} ${event}`))
          await sleep(Math.random() * 30)
        }
      }),
    )
    const seen: { readonly number: number; readonly title: string }[] = []
    let lastEventId = String(after)
    let connections = 0
    while (seen.length < WRITERS * EVENTS_EACH && connections < CONNECTIONS_MAX) {
      const instance = connections++ % 2 ? api : quiet
      await using feed = await follow(instance, caller, { lastEventId })
      await sleep(10 + Math.random() * 100)
      for (const message of feed.messages) {
        seen.push({ number: Number(message.id), title: titleOf(message) })
      }
      lastEventId = feed.lastEventId ?? lastEventId
    }
    await writing
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => after + 1 + index))
    for (let index = 0; index < WRITERS; index++) {
      const own = seen.filter(({ title }) => title.startsWith(`${index} `))
      const expected = Array.from({ length: EVENTS_EACH }, (_, event) => `${index} ${event}`)
      expect(own.map(({ title }) => title)).toEqual(expected)
    }
    expect(connections).toBeGreaterThan(3)
  })
})

describe('the progress of an asset', () => {
  /** Notifies the API of progress like a worker does. */
  const tellProgress = (assetId: string) =>
    fixture.superuser.query(`select pg_notify('reelkeep_progress', $1 || ' ' || $2)`, [caller.organizationId, assetId])

  it('is sent without an ID, at most once a second per asset', async () => {
    const { asset } = await openSession(caller)
    await using feed = await follow(api, caller)
    const start = performance.now()
    // Repeats the notification, because the listener may not be connected yet.
    const tellUntilHeard = async () => {
      await tellProgress(asset.id)
      return feed.messages.length
    }
    await expect.poll(tellUntilHeard).toBeGreaterThan(0)
    while (feed.messages.length < 4) {
      await tellProgress(asset.id)
      await sleep(10)
    }
    const seconds = (performance.now() - start) / 1000
    const progress = { id: asset.id, status: 'Not Started', progress: 0, renditions: [] }
    const expected = { type: 'asset.progress', asset_id: asset.id, data: progress }
    for (const { id, type, data } of feed.messages) {
      expect({ id, type, data }).toEqual({ id: undefined, type: 'asset.progress', data: expected })
    }
    expect(feed.messages.length).toBeLessThanOrEqual(seconds + 2)
    expect((await logOf(caller, '?types=asset.progress')).results).toEqual([])
  })

  it('is sent only to clients of its organization whose filter includes progress', async () => {
    const [one, two] = await Promise.all([openSession(caller), openSession(caller)])
    const neighbour = await fixture.newCaller(api)
    const followed = async (query: string, who = caller) => ({
      feed: await follow(api, who, { query }),
      query,
    })
    const wanting = await Promise.all([
      followed('?types=asset.*'),
      followed('?types=folder.created,asset.progress'),
      followed(`?asset_id=${one.asset.id}`),
    ])
    const others = await Promise.all([
      followed('?types=asset.completed'),
      followed('?types=folder.*'),
      followed(`?asset_id=${two.asset.id}`),
      followed('', neighbour),
    ])
    for (const { feed, query } of wanting) {
      const tellUntilHeard = async () => {
        await tellProgress(one.asset.id)
        return feed.messages.map(({ data }) => data['asset_id'])
      }
      await expect.poll(tellUntilHeard, { message: query }).toContain(one.asset.id)
    }
    for (const { feed, query } of others) expect(feed.messages, query).toEqual([])
    for (const { feed } of [...wanting, ...others]) await feed[Symbol.asyncDispose]()
  })
})

it('an event stream delivers an event whose data contains line breaks', async () => {
  await using feed = await follow(api, caller)
  const data = { id: crypto.randomUUID(), url: 'https://example.com/\n\nevent: forged' }
  await fixture.write(caller, about('a webhook', { type: 'webhook.test', data }))
  await expect.poll(() => feed.messages.map(({ type }) => type)).toEqual(['webhook.test'])
  expect(feed.messages[0]?.data['data']).toEqual(data)
})
