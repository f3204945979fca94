/** Which files a scrub reads, what it costs, and what it does if storage as a whole answers wrongly. */
import { createHash } from 'node:crypto'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { reconcileMedia } from '@reelkeep/server/maintenance/scrub/reconcile-media.ts'
import { type ScrubOptions, scrub } from '@reelkeep/server/maintenance/scrub/scrub.ts'
import { recordPublished, removePublished } from '@reelkeep/server/modules/published-files/published-files.ts'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  type Action,
  type Caller,
  changeResponse,
  type Exchange,
  HttpProxy,
  Objects,
  openOwner,
  resetDatabase,
  respond,
  Superuser,
  stackEnv,
  storageOf,
  TestApi,
  uploadAsset,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'scrub_order')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))
const objects = new Objects(env, 'reelkeep-media')
const proxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const storage = storageOf({ ...env, STORAGE_ENDPOINT: proxy.url })
const media = new MediaBucket(storage)
const uploads = new UploadsBucket(storage)

afterAll(() => {
  for (const bucket of [objects, media, uploads]) bucket[Symbol.dispose]()
})

type Place = { readonly caller: Caller; readonly organizationId: OrganizationId; readonly assetId: AssetId }

async function newPlace(): Promise<Place> {
  const caller = await testApi.newOrganization()
  const { asset } = await uploadAsset(caller)
  return { caller, organizationId: caller.organizationId as OrganizationId, assetId: asset.id as AssetId }
}

let place: Place
beforeEach(async () => {
  await superuser.query('delete from published_files')
  place = await newPlace()
})
afterEach(() => {
  proxy.reset()
  proxy.rules = []
})

const text = 'a segment'
const md5 = createHash('md5').update(text).digest()

/** Publishes a row with these files; returns its prefix. Storage has those in `stored`. */
async function publish(name: string, files: readonly string[], stored = files, of = place): Promise<string> {
  const prefix = `${of.organizationId}/${of.assetId}/${name}/`
  const published = files.map((file) => ({ name: file, bytes: text.length, md5 }))
  const db = owner.forOrganization(of.organizationId)
  await recordPublished(db, of.assetId, { prefix, step: 'video-encode', part: name, files: published })
  for (const file of stored) await objects.put(prefix + file, text)
  return prefix
}

const signal = new AbortController().signal
const scrubAll = (options: Partial<ScrubOptions> = {}) =>
  scrub(owner, media, { before: new Date(), bytesMax: 1e12, signal, onDamaged: () => undefined, ...options })

async function damagedKeys(): Promise<string[]> {
  const rows = await superuser.query<{ key: string }>(
    'select prefix || unnest(damaged) as key from published_files order by 1',
  )
  return rows.map(({ key }) => key)
}

describe('storage that answers wrongly for every file', () => {
  const isRead = ({ method }: Exchange) => method === 'GET' || method === 'HEAD'
  const otherBytes = changeResponse((response) => ({
    ...response,
    body: Buffer.from(response.body.map((byte) => ~byte)),
  }))
  const kinds: [string, Action<Exchange>][] = [
    ['has nothing', respond(404)],
    ['returns other bytes', otherBytes],
  ]
  const isListing = ({ path }: Exchange) => path.includes('list-type=2')

  it.each(kinds)('a scrub of storage that %s records no damage, and fails', async (_, action) => {
    const files = ['0.m4s', '1.m4s']
    for (const name of ['a-1', 'a-2', 'a-3']) await publish(name, files)
    proxy.rules = [{ match: (exchange) => isRead(exchange) && !isListing(exchange), action }]
    await expect(scrubAll()).rejects.toThrow('Storage has none of the files')
    expect(await damagedKeys()).toEqual([])
    proxy.rules = []
    expect((await scrubAll()).damaged).toBe(0)
  })

  it('the daily comparison with an empty bucket records no damage, and fails', async () => {
    for (let number = 0; number < 25; number++) await publish(`a-${number}`, ['0.m4s'], [])
    await expect(
      reconcileMedia(owner, { media, uploads }, { signal, now: new Date(), onDamaged: () => undefined }),
    ).rejects.toThrow('Storage has none of the files')
    expect(await damagedKeys()).toEqual([])
  })

  it('a scrub records the damage of many attempts if storage has other files', async () => {
    const other = await newPlace()
    const lost: string[] = []
    for (let number = 10; number < 35; number++) lost.push(`${await publish(`a-${number}`, ['0.m4s'], [])}0.m4s`)
    await publish('b-1', ['0.m4s'], ['0.m4s'], other)
    expect((await scrubAll()).damaged).toBe(25)
    expect(await damagedKeys()).toEqual(lost)
  })
})

it('a file that is removed while it is read is not damaged', async () => {
  const prefix = await publish('a-1', ['0.vtt', '1.vtt'])
  const removed = `${prefix}1.vtt`
  const remove = async (exchange: Exchange) => {
    await removePublished(owner.forOrganization(place.organizationId), place.assetId, removed)
    exchange.response.writeHead(404).end()
  }
  proxy.rules = [{ match: ({ path }) => path.includes(removed), action: remove }]
  await scrubAll()
  expect(await damagedKeys()).toEqual([])
})

describe('a scrub', () => {
  const setAge = (prefix: string, days: number) =>
    superuser.query(`update published_files set checked_at = now() - make_interval(days => $2) where prefix = $1`, [
      prefix,
      days,
    ])

  it('reads the longest unchecked files of all organizations first', async () => {
    const other = await newPlace()
    const ages: [string, number][] = []
    // More rows of one organization than are read at once.
    for (let number = 10; number < 35; number++) ages.push([await publish(`a-${number}`, ['0.m4s']), 100 - number])
    ages.push([await publish('b-1', ['0.m4s'], ['0.m4s'], other), 79.5])
    for (const [prefix, days] of ages) await setAge(prefix, Math.floor(days))
    proxy.reset()
    await scrubAll()
    const read = proxy.requests.filter(({ method }) => method === 'GET').map(({ path }) => path)
    const placeOf = (prefix: string) => read.findIndex((path) => path.includes(prefix))
    expect(placeOf(ages.at(-1)?.[0] ?? '')).toBeLessThan(read.length - 1)
    expect(placeOf(ages.at(-1)?.[0] ?? '')).toBeGreaterThanOrEqual(10)
  })

  it('ends at its time limit without a failure, and continues with the next files', async () => {
    for (const name of ['a-1', 'a-2', 'a-3']) await publish(name, ['0.m4s'])
    const ending = new AbortController()
    const first = await scrubAll({ ending: ending.signal, onRead: () => ending.abort() })
    expect(first.files).toBe(1)
    expect((await scrubAll({ before: new Date(Date.now() - 1) })).files).toBeGreaterThanOrEqual(2)
  })

  it('reads as many index entries as it checks rows, also while earlier entries cannot be removed', async () => {
    const rows = 3000
    await superuser.query(
      `insert into published_files (organization_id, asset_id, prefix, step, part, names, bytes, md5)
       select $1::text, $2::uuid, $1::text || '/' || $2::text || '/a-' || number || '/', 'video-encode', number, '{}', '{}', ''
       from generate_series(1, $3::integer) as number`,
      [place.organizationId, place.assetId, rows],
    )
    await superuser.query('analyze published_files')
    const entriesRead = async () => {
      const [row] = await superuser.query<{ entries: number }>(
        `select sum(idx_tup_read)::integer as entries from pg_stat_user_indexes where relname = 'published_files'`,
      )
      return row?.entries ?? 0
    }
    await using reader = await Superuser.open(env)
    // A transaction that sees the rows as they were keeps their index entries.
    await reader.query('begin isolation level repeatable read')
    await reader.query('select count(*) from published_files')
    await superuser.query('select pg_stat_force_next_flush()')
    const before = await entriesRead()
    await scrubAll()
    await reader.query('rollback')
    await superuser.query('select pg_stat_force_next_flush()')
    // One entry to read a row, and one or two to update it; each batch reads a few more.
    expect((await entriesRead()) - before).toBeLessThan(6 * rows)
  })
})
