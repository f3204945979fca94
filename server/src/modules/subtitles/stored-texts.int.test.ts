/** The text of a track is in storage and its row in Postgres; both may fail or be slow. */
import type { subtitles as contract, Page, Problem } from '@reelkeep/contract'
import {
  type Caller,
  type Chunk,
  HttpProxy,
  latency,
  Objects,
  openSession,
  resetPeer,
  respond,
  stackEnv,
  TcpProxy,
  TestApi,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statementName } from '../../platform/db/statement.ts'

const env = stackEnv()
const databaseProxy = await opened(TcpProxy.open(env.DATABASE_URL))
const storageProxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const testApi = await opened(
  TestApi.open({
    DATABASE_URL: databaseProxy.url,
    // With this limit, one organization may use one connection.
    DATABASE_CONNECTIONS_MAX: '4',
    STORAGE_ENDPOINT: storageProxy.url,
    STORAGE_PUBLIC_ENDPOINT: env.STORAGE_ENDPOINT,
  }),
)
const objects = new Objects(env, testApi.context.config.STORAGE_MEDIA_BUCKET)
afterAll(() => objects[Symbol.dispose]())

let caller: Caller
let asset: string
let list: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  asset = (await openSession(caller)).asset.id
  list = `assets/${asset}/subtitles/`
})
afterEach(() => {
  databaseProxy.reset()
  storageProxy.reset()
})

const label = 'Words that are lost'
const input = { language: 'de', label, content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nTag\n' }
const keyed = { 'idempotency-key': 'once' }
const add = (headers: Record<string, string> = {}) => caller.post<contract.Subtitle & Problem>(list, input, headers)
const listed = async () => (await caller.get<Page<contract.Subtitle>>(list)).body.results
const stored = () => objects.versions(`${caller.organizationId}/${asset}/subtitles/`)

/** Drops the connection before the response to the commit that adds the track. */
function loseNextCommit() {
  const adding = new Set<Chunk['connection']>()
  const lost = new Set<Chunk['connection']>()
  const match = ({ connection, direction, bytes }: Chunk) => {
    if (direction === 'downstream') return lost.has(connection)
    if (bytes.includes(label)) adding.add(connection)
    if (adding.has(connection) && bytes.includes(statementName('commit'))) lost.add(connection)
    return false
  }
  databaseProxy.rules = [{ match, action: resetPeer, times: 1 }]
}

/** Delays writes to storage: each call of the returned function lets the next one pass. */
function holdWrites() {
  const waiting: (() => void)[] = []
  storageProxy.rules = [
    {
      match: ({ method }) => method === 'PUT',
      action: latency(() => new Promise<void>((resolve) => waiting.push(resolve))),
    },
  ]
  return {
    await: (count: number) => expect.poll(() => waiting.length).toBe(count),
    letPass: () => waiting.shift()?.(),
  }
}

describe('if the response to the commit of a new subtitle track is lost', () => {
  it.each([
    ['without', {}],
    ['with', keyed],
  ])('a listed track can be read, %s an Idempotency-Key', async (_, headers) => {
    loseNextCommit()
    expect((await add(headers)).status).toBe(503)
    const [track, ...others] = await listed()
    expect([track?.label, others]).toEqual([label, []])
    expect((await caller.send('GET', `${list}${track?.id}/`)).text).toContain('Tag')
  })
})

describe('while storage is slow', () => {
  it('other requests of the organization do not wait', async () => {
    const writes = holdWrites()
    const adding = add(keyed)
    await writes.await(1)
    // This request needs a transaction, and therefore the only connection of the organization.
    const other = caller.post('assets/folders/', { title: 'Meanwhile' }, { 'idempotency-key': 'x' })
    expect(await other).toMatchObject({ status: 201 })
    writes.letPass()
    expect((await adding).status).toBe(201)
  })

  it('404: adding a track leaves no text in storage if the asset is deleted meanwhile', async () => {
    const writes = holdWrites()
    const adding = add(keyed)
    await writes.await(1)
    await caller.delete(`assets/${asset}/`)
    writes.letPass()
    expect((await adding).body.code).toBe('asset_not_found')
    expect(await stored()).toEqual([])
  })

  it('201: two requests with one Idempotency-Key create one track and one text', async () => {
    const writes = holdWrites()
    const both = [add(keyed), add(keyed)]
    await writes.await(2)
    writes.letPass()
    const first = await Promise.race(both)
    writes.letPass()
    expect((await Promise.all(both)).map(({ body }) => body)).toEqual([first.body, first.body])
    expect(await listed()).toEqual([first.body])
    expect(await stored()).toHaveLength(1)
  })
})

describe('a repeated POST subtitles/', () => {
  it('201: gets the stored response without access to storage, even if the asset was deleted', async () => {
    const first = await add(keyed)
    await caller.delete(`assets/${asset}/`)
    storageProxy.rules = [{ action: respond(503) }]
    const second = await add(keyed)
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers['idempotency-replayed']).toBe('true')
  })

  it('409: is rejected if it differs from the first one', async () => {
    await add(keyed)
    const other = await caller.post<Problem>(list, { ...input, language: 'en' }, keyed)
    expect(other.body.code).toBe('idempotency_key_reused')
    expect(await stored()).toHaveLength(1)
  })
})
