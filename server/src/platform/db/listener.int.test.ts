import { Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { openLogger } from '../observability/logger.ts'
import { type ListenerOptions, openListener } from './listener.ts'

const superuser = await opened(Superuser.open())
const logger = openLogger('silent')

/** Channel name unique to this run: other processes listen on the same Postgres. */
const channel = `listener test ${process.pid}`
const otherChannel = `${channel} other`

type Message = readonly [channel: string, payload: string]

let received: Message[]
let gaps: number
beforeEach(() => {
  received = []
  gaps = 0
})

const open = (more: Partial<ListenerOptions> = {}) =>
  openListener({
    url: stackEnv().DATABASE_URL,
    channels: [channel, otherChannel],
    onMessage: (...message) => received.push(message),
    onGap: () => {
      gaps++
    },
    logger,
    ...more,
  })

const notify = (payload: string, to = channel) => superuser.query('select pg_notify($1, $2)', [to, payload])

/** Returns the connections that listen on the channel, identified by their last query `listen "<channel>"`. */
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
  it('receives the messages of all its channels in order', async () => {
    await using _listener = open()
    await expect.poll(() => gaps).toBe(1)
    await notify('one')
    await notify('two', otherChannel)
    await notify('three')
    const all = [
      [channel, 'one'],
      [otherChannel, 'two'],
      [channel, 'three'],
    ]
    await expect.poll(() => received).toEqual(all)
  })

  it('reconnects when its connection is terminated, and calls onGap', async () => {
    await using _listener = open()
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => gaps).toBe(round)
      await endConnection()
    }
    await expect.poll(() => gaps).toBe(4)
    await notify('after all')
    await expect.poll(() => received).toEqual([[channel, 'after all']])
  })

  it('closes its connection when disposed', async () => {
    {
      await using _listener = open()
      await expect.poll(() => gaps).toBe(1)
      expect(await listeners()).toHaveLength(1)
    }
    await expect.poll(listeners).toEqual([])
    expect(gaps).toBe(1)
  })

  it('can be disposed while Postgres is unreachable', async () => {
    const nowhere = new URL(stackEnv().DATABASE_URL)
    nowhere.port = '1'
    const listener = open({ url: nowhere.href })
    await listener[Symbol.asyncDispose]()
    expect(gaps).toBe(0)
  })
})
