/** The feed in Node, whose locks and channels connect "tabs" of one process. */
import { Reelkeep } from 'reelkeep'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EventFeed, type FeedState } from './event-feed.ts'

const eventText = (number: number) =>
  `id: ${number}\nevent: folder.created\ndata: {"number":${number},"type":"folder.created"}\n\n`
/** Time until the feed opens a stream again that the service has refused. */
const RETRY_MILLISECONDS = 5000
const headers = { 'content-type': 'text/event-stream' }
const expired = () => new Response('{"code":"events_expired"}', { status: 410 })

/** A service whose log has 40 events. `starts` has the numbers that connections asked to continue after. */
function openService() {
  const service = { last: 40, first: 1, starts: [] as (string | null)[] }
  const connections = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const write = (connection: ReadableStreamDefaultController<Uint8Array>, text: string) =>
    connection.enqueue(new TextEncoder().encode(text))

  const respond = async (url: string | URL | Request) => {
    const start = new URL(String(url)).searchParams.get('after')
    service.starts.push(start)
    const after = Number(start ?? service.last)
    if (after < service.first - 1) return expired()
    let opened: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start(connection) {
        opened = connection
        write(connection, `retry: 2000\nid: ${after}\n\n`)
        for (let number = after + 1; number <= service.last; number++) write(connection, eventText(number))
        connections.add(connection)
      },
      cancel: () => void connections.delete(opened),
    })
    return new Response(body, { headers })
  }

  const client = new Reelkeep({ url: 'https://videos.example', organization: 'acme', token: 'secret', fetch: respond })
  const addEvent = () => {
    service.last++
    for (const connection of connections) write(connection, eventText(service.last))
  }
  return { service, client, addEvent }
}

let organizations = 0
const feeds: EventFeed[] = []
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.close()
  vi.useRealTimers()
})

/** Two tabs, of which the first streams. `numbers` and `states` are what the second has received. */
async function openTabs(client: Reelkeep) {
  const organization = `organization-${++organizations}`
  const open = () => new EventFeed(client, organization, () => {})
  const first = open()
  const second = open()
  feeds.push(first, second)
  const numbers: unknown[] = []
  const states: FeedState[] = []
  second.subscribe((event) => numbers.push('number' in event && event.number))
  await expect.poll(() => [first.state, second.state]).toEqual(['live', 'live'])
  second.subscribeState(() => states.push(second.state))
  return { first, second, numbers, states }
}

describe('the tab that takes over the event stream', () => {
  it('receives an event that happened before it was connected', async () => {
    const { client, addEvent } = openService()
    const { first, numbers, states } = await openTabs(client)
    first.close()
    addEvent()
    await expect.poll(() => numbers).toEqual([41])
    expect(states).toEqual(['live'])
  })

  it('continues after the last event that the other tab passed on', async () => {
    const { service, client, addEvent } = openService()
    const { first, numbers } = await openTabs(client)
    addEvent()
    await expect.poll(() => numbers).toEqual([41])
    first.close()
    addEvent()
    await expect.poll(() => numbers).toEqual([41, 42])
    expect(service.starts).toEqual([null, '41'])
  })

  it('reports a lost connection and starts with new events if the last event is no longer in the log', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { service, client, addEvent } = openService()
    const { first, second, numbers, states } = await openTabs(client)
    Object.assign(service, { first: 60, last: 70 })
    first.close()
    await expect.poll(() => second.state).toBe('lost')
    await vi.advanceTimersByTimeAsync(RETRY_MILLISECONDS)
    await expect.poll(() => second.state).toBe('live')
    addEvent()
    await expect.poll(() => numbers).toEqual([71])
    expect(states).toEqual(['lost', 'live'])
    expect(service.starts).toEqual([null, '40', null])
  })
})
