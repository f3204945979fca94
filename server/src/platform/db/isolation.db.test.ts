/** Row-level security as the second lock: what a query with a mistake in it sees and changes of others. */
import { createHash } from 'node:crypto'
import { type Caller, probedAsset, Superuser, stackEnv, World } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import type { Query } from './statement.ts'

const tables = [
  'organizations',
  'tokens',
  'idempotency_keys',
  'folders',
  'folder_counts',
  'assets',
  'asset_counts',
  'asset_happenings',
  'asset_probes',
  'pipelines',
  'pipeline_steps',
  'asset_plans',
  'renditions',
  'rendition_parts',
  'organization_master_keys',
  'asset_protections',
  'asset_drm',
  'chapter_sets',
  'chapters',
  'subtitle_tracks',
  'upload_sessions',
] as const
const views = ['searchable_folders', 'searchable_assets'] as const
const idColumnOf = (table: string) => (table === 'organizations' ? 'id' : 'organization_id')

let world: World
let superuser: Superuser
/** As the service connects: with the API's role. */
let database: Database
beforeAll(async () => {
  world = await World.open()
  superuser = await Superuser.open()
  const { DATABASE_URL: url } = stackEnv()
  database = new Database({ url, connectionsMax: 2, statementTimeoutSeconds: 10 }, () => {})
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await superuser[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** A query as somebody might write it who forgot where they are. */
const careless = (text: string, ...values: unknown[]): Query<Record<string, unknown>> => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 16),
  text,
  values: () => values,
})

/** An organization with a row in every table. */
async function settledOrganization(): Promise<Caller> {
  const caller = await world.newOrganization()
  const wish = { title: 'Lectures' }
  const { status } = await caller.post('assets/folders/', wish, { 'idempotency-key': 'first' })
  expect(status).toBe(201)
  const { asset } = await probedAsset(caller)
  await caller.patch(`assets/${asset.id}/`, { title: 'Lecture 1' })
  await processed(caller, asset.id)
  const chapters = [{ title: 'Opening', start_time: '00:00:00' }]
  expect((await caller.post(`assets/${asset.id}/chapters/`, { chapters })).status).toBe(201)
  const subtitle = { language: 'de', content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nTag\n' }
  expect((await caller.post(`assets/${asset.id}/subtitles/`, subtitle)).status).toBe(201)
  // Noted a moment after the answer; a row that still changes by itself proves nothing.
  await vi.waitFor(async () => expect(await tokenUses(caller)).toEqual([true]), 10_000)
  return caller
}

async function processed({ organizationId }: Caller, assetId: string): Promise<void> {
  for (const insert of [
    'insert into pipelines values ($1, $2, 1)',
    `insert into pipeline_steps (organization_id, asset_id, step, queue, state, due_at)
     values ($1, $2, 'video-probe', 'probe', 'waiting', 'infinity')`,
    `insert into asset_plans values ($1, $2, '{}')`,
    `insert into renditions (organization_id, asset_id, name, bitrate_max, segments_total)
     values ($1, $2, 'audio', 128000, 1)`,
    `insert into rendition_parts values ($1, $2, 'audio', 0, 'x/', '[]')`,
  ]) {
    await superuser.query(insert, [organizationId, assetId])
  }
  await superuser.query(
    `insert into organization_master_keys values ($1, 1, 'test', decode(repeat('00', 60), 'hex'))`,
    [organizationId],
  )
  await superuser.query('insert into asset_protections values ($1, $2, 1)', [
    organizationId,
    assetId,
  ])
  await superuser.query(
    `insert into asset_drm values ($1, $2, 'clearkey', 'cbcs', '[]', '[]', repeat('0', 64))`,
    [organizationId, assetId],
  )
}

async function tokenUses({ organizationId }: Caller): Promise<boolean[]> {
  const rows = await superuser.query<{ isNoted: boolean }>(
    'select last_used_at is not null as "isNoted" from tokens where organization_id = $1',
    [organizationId],
  )
  return rows.map(({ isNoted }) => isNoted)
}

let ours: string
let theirs: string
let db: OrganizationDb
/** All that they have, before anybody tried to change it. */
let before: string[]
// Once for all: what is refused or finds nothing leaves them as they are.
beforeAll(async () => {
  ours = (await settledOrganization()).organizationId
  theirs = (await settledOrganization()).organizationId
  db = database.forOrganization(ours as OrganizationId)
  before = await everythingOf(theirs)
})

/** All that is stored of an organization, to see that nothing of it changed. */
async function everythingOf(organizationId: string): Promise<string[]> {
  const selects = tables.map(
    (table) => `select t::text as row from ${table} t where ${idColumnOf(table)} = $1`,
  )
  const rows = await superuser.query<{ row: string }>(
    `${selects.join(' union all ')} order by row`,
    [organizationId],
  )
  return rows.map(({ row }) => row)
}

describe.each([...tables, ...views])('reading %s', (table) => {
  const id = idColumnOf(table)

  it('finds only our rows without a condition', async () => {
    const [rows] = await db.run(careless(`select ${id} as id from ${table}`))
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map((row) => row['id']))).toEqual(new Set([ours]))
  })

  it('finds nothing with the id of another organization', async () => {
    const [rows] = await db.run(careless(`select from ${table} where ${id} = $1`, theirs))
    expect(rows).toEqual([])
  })

  it('finds none of their rows through a join or a subquery', async () => {
    const [joined, nested] = await db.run(
      careless(`select b.${id} as id from tokens a cross join ${table} b`),
      careless(`select (select max(${id}) from ${table} where ${id} <> $1) as id`, ours),
    )
    expect(new Set(joined.map((row) => row['id']))).toEqual(new Set([ours]))
    expect(nested).toEqual([{ id: null }])
  })

  it('finds nothing for an organization that is not there, nor for none', async () => {
    for (const id of ['nobody00', '', '%', `${ours},${theirs}`]) {
      const [rows] = await database
        .forOrganization(id as OrganizationId)
        .run(careless(`select from ${table}`))
      expect(rows).toEqual([])
    }
    expect(await database.ask(careless(`select from ${table}`))).toEqual([])
  })
})

describe('changing', () => {
  it('touches only our rows without a condition', async () => {
    const { organizationId } = await settledOrganization()
    const db = database.forOrganization(organizationId as OrganizationId)
    await db.run(careless(`update folders set title = 'mine now'`))
    await db.run(careless(`update tokens set revoked_at = now()`))
    await db.run(careless('update folder_counts set folder_count = 0'))
    await db.run(careless(`update upload_sessions set look_at = null`))
    await db.run(careless('update chapter_sets set last_id = 0'))
    await db.run(careless('delete from chapters'))
    await db.run(careless(`update asset_plans set plan = '[]'`))
    await db.run(careless('update renditions set segments_done = 1'))
    await db.run(careless('delete from rendition_parts'))
    await db.run(careless(`update subtitle_tracks set storage_key = 'mine'`))
    await db.run(careless('delete from subtitle_tracks'))
    await db.run(careless('delete from assets'))
    await db.run(careless('delete from asset_counts'))
    await db.run(careless('delete from folders'))
    await db.run(careless('delete from folder_counts'))
    await db.run(careless('delete from idempotency_keys'))
    expect(await everythingOf(theirs)).toEqual(before)
    expect((await everythingOf(organizationId)).length).toBe(3)
  })

  it.each([
    `update folders set title = 'mine now' where organization_id = $1 returning uuid`,
    'update tokens set revoked_at = now() where organization_id = $1 returning id',
    'update upload_sessions set look_at = null where organization_id = $1 returning uuid',
    'delete from chapters where organization_id = $1 returning id',
    'delete from subtitle_tracks where organization_id = $1 returning id',
    'update chapter_sets set last_id = 0 where organization_id = $1 returning asset_id',
    `update asset_plans set plan = '[]' where organization_id = $1 returning asset_id`,
    'update renditions set bytes = 7 where organization_id = $1 returning name',
    'delete from rendition_parts where organization_id = $1 returning prefix',
    'delete from assets where organization_id = $1 returning id',
    'delete from folders where organization_id = $1 returning uuid',
    'delete from idempotency_keys where organization_id = $1 returning key',
  ])('changes nothing of theirs when asked to: %s', async (text) => {
    const [rows] = await db.run(careless(text, theirs))
    expect(rows).toEqual([])
    expect(await everythingOf(theirs)).toEqual(before)
  })

  it.each([
    ['a folder', `insert into folders values ($1, 'abcdefghijk', null, 'x', 'x', '{}')`],
    ['a count', 'insert into folder_counts values ($1, 15, 7, 7)'],
    ['a saved answer', `insert into idempotency_keys values ($1, 'k', sha256(''), '')`],
    ['a token', `insert into tokens values ($1, gen_random_uuid(), 'x', sha256(''), '{*}')`],
    [
      'an upload session',
      `insert into upload_sessions
         (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 1, now(), now()`,
    ],
    ['a chapter', `insert into chapters values ($1, gen_random_uuid(), 1, 0, 'x')`],
    ['a plan', `insert into asset_plans values ($1, gen_random_uuid(), '{}')`],
    [
      'a rendition',
      `insert into renditions (organization_id, asset_id, name, bitrate_max, segments_total)
       select $1, gen_random_uuid(), 'audio', 1, 1`,
    ],
    [
      'segments that can be played',
      `insert into rendition_parts select $1, gen_random_uuid(), 'audio', 0, 'x/', '[]'`,
    ],
    [
      'a subtitle track',
      `insert into subtitle_tracks values ($1, gen_random_uuid(), gen_random_uuid(), 'de', 'x', 'uploaded', 'x')`,
    ],
    ['our chapter, given away', 'update chapters set organization_id = $1'],
    ['our asset, given away', 'update assets set organization_id = $1'],
    ['an organization', `insert into organizations values ($1 || 'x', 'x')`],
    ['our folder, given away', 'update folders set organization_id = $1'],
    ['our token, given away', 'update tokens set organization_id = $1'],
    [
      'their count, upserted',
      `insert into folder_counts select $1, generate_series(0, 15), 0, 0
       on conflict (organization_id, slot) do update set folder_count = 0`,
    ],
  ])('refuses to write for them: %s', async (_, text) => {
    // Insufficient privilege: the policy, or a right that the role does not have.
    await expect(db.run(careless(text, theirs))).rejects.toMatchObject({ code: '42501' })
    expect(await everythingOf(theirs)).toEqual(before)
  })

  it('refuses to hang our folder under one of theirs', async () => {
    const [folder] = await superuser.query<{ uuid: string }>(
      'select uuid from folders where organization_id = $1',
      [theirs],
    )
    const hang = careless('update folders set parent_uuid = $1', folder?.uuid)
    await expect(db.run(hang)).rejects.toMatchObject({ code: '23503' })
  })
})
