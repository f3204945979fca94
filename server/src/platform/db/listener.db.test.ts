import { Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { openLogger } from '../observability/logger.ts'
import { type ListenerOptions, openListener } from './listener.ts'

const superuser = await opened(Superuser.open())
const logger = openLogger('silent')

/** Of this run alone: others listen on the same Postgres. */
const channel = `listener test ${process.pid}`
const otherChannel = `${channel} other`

type Heard = readonly [channel: string, payload: string]

let heard: Heard[]
let gaps: number
beforeEach(() => {
  heard = []
  gaps = 0
})

const open = (more: Partial<ListenerOptions> = {}) =>
  openListener({
    url: stackEnv().DATABASE_URL,
    channels: [channel, otherChannel],
    onMessage: (...message) => heard.push(message),
    onGap: () => {
      gaps++
    },
    logger,
    ...more,
  })

const tell = (payload: string, to = channel) =>
  superuser.query('select pg_notify($1, $2)', [to, payload])

/** Found by their last words, with which they began to listen. */
const listeners = () =>
  superuser.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'reelkeep listener' and query like $1`,
    [`%${channel}%`],
  )

const endConnection = async () => {
  for (const { pid } of await listeners()) {
    await superuser.query('select pg_terminate_backend($1, 5000)', [pid])
  }
}

describe('a listener', () => {
  it('hears what is told on each of its channels, in order', async () => {
    await using _listener = open()
    await expect.poll(() => gaps).toBe(1)
    await tell('one')
    await tell('two', otherChannel)
    await tell('three')
    const all = [
      [channel, 'one'],
      [otherChannel, 'two'],
      [channel, 'three'],
    ]
    await expect.poll(() => heard).toEqual(all)
  })

  it('listens again when its connection is ended, and says that it may have missed something', async () => {
    await using _listener = open()
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => gaps).toBe(round)
      await endConnection()
    }
    await expect.poll(() => gaps).toBe(4)
    await tell('after all')
    await expect.poll(() => heard).toEqual([[channel, 'after all']])
  })

  it('ends its connection when disposed of', async () => {
    {
      await using _listener = open()
      await expect.poll(() => gaps).toBe(1)
      expect(await listeners()).toHaveLength(1)
    }
    await expect.poll(listeners).toEqual([])
    expect(gaps).toBe(1)
  })

  it('can be disposed of while there is nothing to connect to', async () => {
    const nowhere = new URL(stackEnv().DATABASE_URL)
    nowhere.port = '1'
    const listener = open({ url: nowhere.href })
    const start = performance.now()
    await listener[Symbol.asyncDispose]()
    expect(performance.now() - start).toBeLessThan(2000)
    expect(gaps).toBe(0)
  })
})
