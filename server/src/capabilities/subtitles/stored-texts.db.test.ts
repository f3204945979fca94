/** The text of a track goes over another line than its row, and both may fail or take their time. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { subtitles as contract, Page } from '@reelkeep/contract'
import { type Caller, openSession, stackEnv, World } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { nameOf } from '../../platform/db/statement.ts'

const env = stackEnv()
const line = await opened(openLine(new URL(env.DATABASE_URL)))
const world = await opened(
  World.open({
    DATABASE_URL: line.url,
  }),
)

let caller: Caller
let list: string
beforeEach(async () => {
  caller = await world.newOrganization()
  list = `assets/${(await openSession(caller)).asset.id}/subtitles/`
})

const label = 'Words that are lost'
const wish = { language: 'de', label, content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nTag\n' }
const keyed = { 'idempotency-key': 'once' }
const add = (headers: Record<string, string> = {}) =>
  caller.post<contract.Subtitle>(list, wish, headers)
const listed = async () => (await caller.get<Page<contract.Subtitle>>(list)).body.results

/** Stands between the service and Postgres, and can lose the answer to a commit, and its connection with it. */
async function openLine(url: URL) {
  const sockets = new Set<Socket>()
  let isLosing = false
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname)
    sockets.add(near).add(far)
    let [isOurs, isLost] = [false, false]
    near.on('data', (bytes) => {
      isOurs ||= bytes.includes(label)
      isLost ||= isLosing && isOurs && bytes.includes(nameOf('commit'))
      if (isLost) isLosing = false
      far.write(bytes)
    })
    far.on('data', (bytes) => (isLost ? near.destroy() : near.write(bytes)))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {}).on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    loseNextCommit: () => {
      isLosing = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('when the answer to the commit is lost', () => {
  it.each([
    ['without', {}],
    ['with', keyed],
  ])('a track that is listed can be read, %s a key', async (_, headers) => {
    line.loseNextCommit()
    expect((await add(headers)).status).toBe(503)
    const [track, ...others] = await listed()
    expect([track?.label, others]).toEqual([label, []])
    expect((await caller.send('GET', `${list}${track?.id}/`)).text).toContain('Tag')
  })
})
