/** GET usage/: what is counted, and the deliveries in the log of an edge. */
import { createHash } from 'node:crypto'
import type { usage as contract, Problem } from '@reelkeep/contract'
import { openDatabase, openOwner, PlaybackFixture, Superuser, stackEnv, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database } from '../../platform/db/database.ts'
import { countEdgeLog, EdgeLog, mergeUsage } from './usage.ts'

/** Size of the file that `uploadAsset` sends. */
const FILE_BYTES = 32

const fixture = await opened(PlaybackFixture.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
beforeEach(() => fixture.begin())

const usage = (query = '') => fixture.caller.get<contract.Usage & Problem>(`usage/${query}`)
const today = async (query = '') => (await usage(query)).body.results.at(-1)
const flush = () => fixture.testApi.context.usage.flush()
const id = () => fixture.caller.organizationId as OrganizationId

describe('GET usage/: 200', () => {
  it('returns 30 days up to today, without quotas', async () => {
    const { body } = await usage()
    expect(body.results).toHaveLength(30)
    expect(body.results.at(-1)?.period).toBe(body.to)
    expect(body.quotas.assets).toEqual({ limit: null, used: 1 })
    expect((await usage('?by=month')).body.results.at(-1)?.period).toBe(body.to.slice(0, 7))
  })

  it('counts stored bytes and assets exactly, also after deletions', async () => {
    const { asset } = await uploadAsset(fixture.caller)
    await fixture.publishAll()
    await superuser.query('update renditions set bytes = 500 where asset_id = $1', [fixture.place.assetId])
    const bytes = 3 * 500
    // As the pipeline does for the plan of a video of 12 seconds.
    await superuser.query('select count_usage($1, 0, 12)', [id()])
    expect(await today()).toMatchObject({
      ...{ assets: 2, source_bytes: FILE_BYTES, rendition_bytes: bytes, stored_bytes: FILE_BYTES + bytes },
      encoded_minutes: 0.2,
    })
    await fixture.caller.delete(`assets/${asset.id}/`)
    expect(await today()).toMatchObject({ assets: 1, source_bytes: FILE_BYTES })
    await fixture.caller.delete(`assets/${asset.id}/?permanently=true`)
    await fixture.caller.delete(`assets/${fixture.place.assetId}/?permanently=true`)
    expect(await today()).toMatchObject({ assets: 0, stored_bytes: 0, rendition_bytes: 0, encoded_minutes: 0.2 })
  })

  it('counts deliveries of segments and requests', async () => {
    await fixture.publishAll()
    const sent = await Promise.all([
      fixture.ask(fixture.small0),
      fixture.ask('video-encode-1/audio/00000.m4s'),
      fixture.ask(fixture.small0, {}, 'HEAD'),
      fixture.ask(fixture.small0, { range: 'bytes=0-2' }),
      fixture.ask('video-encode-9/240p/00000.m4s'),
    ])
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 206, 404])
    const problemBytes = Number(sent[4]?.headers['content-length'] ?? 0)
    await flush()
    expect(await today()).toMatchObject({
      delivered_bytes: 7 + 7 + 3 + problemBytes,
      // Four seconds, and three of seven bytes of four seconds. Audio belongs to the video.
      delivered_minutes: Math.round(((4 + (4 * 3) / 7) / 60) * 1000) / 1000,
    })
    await flush()
    const before = (await today())?.api_requests ?? 0
    await Promise.all([1, 2, 3].map(() => fixture.caller.get('assets/')))
    await flush()
    // The request that read the usage is counted after its response.
    expect((await today())?.api_requests).toBe(before + 4)
  })

  it('keeps deliveries that could not be recorded, and skips organizations that do not exist or are suspended', async () => {
    const { context } = fixture.testApi
    const other = await fixture.testApi.newOrganization()
    await superuser.query('insert into held_organizations (organization_id) values ($1)', [other.organizationId])
    for (const each of [id(), other.organizationId, 'nobody12'] as OrganizationId[]) {
      context.usage.countDelivery(each, { bytes: 5, seconds: 60 })
    }
    await superuser.query('alter function add_delivered_usage rename to not_now')
    await expect(flush()).rejects.toThrow('add_delivered_usage')
    await superuser.query('alter function not_now rename to add_delivered_usage')
    await flush()
    expect(await today()).toMatchObject({ delivered_bytes: 5, delivered_minutes: 1 })
    const rows = 'select from usage_days where organization_id = any ($1) and delivered_bytes > 0'
    expect(await superuser.query(rows, [[other.organizationId, 'nobody12']])).toEqual([])
  })

  it('shows the state of earlier days, and past days keep their figures when their rows are merged', async () => {
    const insert = `insert into usage_days (organization_id, day, slot, stored_bytes, assets, api_requests)
      select $1, (now() at time zone 'utc')::date - $2::int, slot, 10, 1, 3 from generate_series(0, 3) as slot`
    for (const age of [1, 3, 5, 1000]) await superuser.query(insert, [id(), age])
    const before = (await usage()).body.results
    const figures = before
      .slice(-7)
      .map(({ stored_bytes, assets, api_requests }) => [stored_bytes, assets, api_requests])
    expect(figures.slice(0, 6)).toEqual([
      [40, 4, 0],
      [80, 8, 12],
      [80, 8, 0],
      [120, 12, 12],
      [120, 12, 0],
      [160, 16, 12],
    ])
    await using worker = new Database(
      { url: stackEnv().DATABASE_WORKER_URL, connectionsMax: 2, statementTimeoutSeconds: 60 },
      () => {},
    )
    for (let round = 0; round < 2; round++) await mergeUsage(worker, new AbortController().signal)
    expect((await usage()).body.results.slice(0, -1)).toEqual(before.slice(0, -1))
    const rows = await superuser.query<{ age: number; api_requests: string }>(
      `select (now() at time zone 'utc')::date - day as age, api_requests from usage_days
       where organization_id = $1 and day < (now() at time zone 'utc')::date - 1 order by day`,
      [id()],
    )
    expect(rows).toHaveLength(3)
    expect(rows[0]?.age).toBeLessThan(430)
    expect(Number(rows[0]?.api_requests)).toBe(0)
  })
})

it('figures before the last 13 months are deleted also in an organization without activity', async () => {
  const insert = `insert into usage_days (organization_id, day, slot, stored_bytes, delivered_bytes)
    values ($1, (now() at time zone 'utc')::date - $2::int, 0, 10, 5)`
  for (const age of [600, 1000]) await superuser.query(insert, [id(), age])
  await using worker = openDatabase(stackEnv().DATABASE_WORKER_URL)
  for (let round = 0; round < 2; round++) await mergeUsage(worker, new AbortController().signal)
  const rows = `select stored_bytes::int as stored, delivered_bytes::int as delivered from usage_days
    where organization_id = $1 and day < (now() at time zone 'utc')::date - 1`
  expect(await superuser.query(rows, [id()])).toEqual([{ stored: 20, delivered: 0 }])
})

it('a merge of past days adds to a row that the count of a log inserts at the same time', async () => {
  const insert = `insert into usage_days (organization_id, day, slot, delivered_bytes)
    values ($1, (now() at time zone 'utc')::date - 3, $2, 5)`
  await superuser.query(insert, [id(), 1])
  await using counting = await Superuser.open()
  await counting.query('begin')
  await counting.query(insert, [id(), 0])
  const [session] = await counting.query<{ pid: number }>('select pg_backend_pid() as pid')
  await using worker = openDatabase(stackEnv().DATABASE_WORKER_URL)
  const merged = mergeUsage(worker, new AbortController().signal)
  const blocked = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
  await expect.poll(async () => (await superuser.query(blocked, [session?.pid])).length, { timeout: 60_000 }).toBe(1)
  await counting.query('commit')
  await merged
  const rows = `select slot, delivered_bytes::int as delivered from usage_days
    where organization_id = $1 and day < (now() at time zone 'utc')::date - 1`
  expect(await superuser.query(rows, [id()])).toEqual([{ slot: 0, delivered: 10 }])
})

describe('GET usage/: 400', () => {
  it.each([
    ['?from=2026-13-01', 'from'],
    ['?from=2026-02-02&to=2026-02-01', 'from'],
    ['?from=2000-01-01', 'from'],
    ['?by=year', 'by'],
  ])('%s', async (query, field) => {
    const { status, body } = await usage(query)
    expect([status, body.errors[0]?.field]).toEqual([400, field])
  })
})

describe('the access log of an edge', () => {
  const time = new Date().toISOString()
  const lines = () => {
    const { organizationId, assetId } = fixture.place
    const line = (name: string, rest: string) =>
      `192.0.2.1 [${time}] "GET /play/-/${organizationId}/${assetId}/${name}" ${rest}`
    return [
      line(fixture.small0, '200 7 0.001 MISS'),
      line(fixture.small0, '200 7 0.001 HIT'),
      line(fixture.small0, '206 7 0.001 HIT'),
      line('video-encode-2/240p/00002.m4s', '200 7 0.001 HIT'),
      line('video-encode-1/audio/00000.m4s', '200 7 0.001 HIT'),
      line('pictures-1/cover.jpg', '200 100 0.001 HIT'),
      line('video-encode-7/240p/00099.m4s', '200 1000 0.001 HIT'),
    ]
  }

  it('adds what the API did not serve, once', async () => {
    await fixture.publishAll()
    const log = new EdgeLog()
    for (const line of lines()) log.addLine(line)
    const hash = createHash('sha256').update('one').digest()
    const db = owner.forOrganization(id())
    const results = []
    for (let round = 0; round < 2; round++)
      for (const [, deliveries] of log.organizations()) results.push(await countEdgeLog(db, hash, deliveries))
    expect(results).toEqual([1128, undefined])
    expect(await today()).toMatchObject({ delivered_bytes: 1128, delivered_minutes: 0.2 })
  })

  it('adds the minutes of further versions, whose media has its own id', async () => {
    await fixture.publishAll()
    const { asset } = await uploadAsset(fixture.caller)
    await superuser.query(
      `insert into asset_versions (organization_id, asset_id, number, media_id) values ($1, $2, 2, $3)`,
      [id(), asset.id, fixture.place.assetId],
    )
    const log = new EdgeLog()
    for (const version of ['v2', 'v3']) {
      log.addLine(`192.0.2.1 [${time}] "GET /play/-/${id()}/${asset.id}/${version}/${fixture.small0}" 200 7 0.001 HIT`)
    }
    for (const [, deliveries] of log.organizations())
      await countEdgeLog(owner.forOrganization(id()), Buffer.alloc(32), deliveries)
    // Four seconds of version 2. Version 3 was deleted since.
    expect(await today()).toMatchObject({ delivered_bytes: 14, delivered_minutes: 0.067 })
  })
})
