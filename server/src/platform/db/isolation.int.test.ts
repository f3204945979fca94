/**
 * Row-level security as the second safeguard: incorrect queries neither read nor change rows of other organizations.
 */
import { createHash } from 'node:crypto'
import {
  type Caller,
  openSession,
  probedAsset,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  withDatabase,
} from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import type { Query } from './statement.ts'

const tables = [
  'organizations',
  'tokens',
  'members',
  'roles',
  'invitations',
  'recovery_links',
  'idempotency_keys',
  'folders',
  'folder_counts',
  'assets',
  'asset_counts',
  'asset_happenings',
  'asset_probes',
  'asset_tags',
  'pipelines',
  'pipeline_steps',
  'asset_plans',
  'renditions',
  'rendition_parts',
  'published_files',
  'asset_clips',
  'asset_trims',
  'organization_master_keys',
  'asset_protections',
  'asset_drm',
  'chapter_sets',
  'chapters',
  'subtitle_tracks',
  'subtitle_versions',
  'moments',
  'moment_embeddings',
  'assets_to_embed',
  'search_configurations',
  'upload_sessions',
  'access_tokens',
  'signing_keys',
  'spent_passes',
  'event_outbox',
  'event_logs',
  'events',
  'webhooks',
  'webhook_deliveries',
  'webhook_attempts',
] as const
const views = [
  ...['searchable_folders', 'searchable_assets', 'hidden_assets', 'all_assets', 'searchable_moments'],
  'searchable_embeddings',
] as const
const idColumnOf = (table: string) => (table === 'organizations' ? 'id' : 'organization_id')

let superuser: Superuser
/** A database handle with the API's role. */
let database: Database
beforeAll(async () => {
  // A database of its own, because workers of other tests sequence the events of every organization.
  const env = withDatabase(stackEnv(), 'isolation')
  await resetDatabase(env)
  superuser = await Superuser.open(env)
  const { DATABASE_URL: url } = env
  database = new Database({ url, connectionsMax: 2, statementTimeoutSeconds: 10 }, () => {})
})
afterAll(async () => {
  await superuser[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** A query without the organization condition that it should have. */
const unscoped = (text: string, ...values: unknown[]): Query<Record<string, unknown>> => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 16),
  text,
  values: () => values,
})

/** An organization with a row in every table. */
async function newPopulatedOrganization(): Promise<Caller> {
  const { caller, assetId } = await newUsedOrganization()
  await published(caller, assetId)
  return caller
}

/** The API ends with this function: its publisher would move the event that `published` adds to the outbox. */
async function newUsedOrganization() {
  await using testApi = await TestApi.open({}, withDatabase(stackEnv(), 'isolation'))
  const caller = await testApi.newOrganization()
  const folder = { title: 'Lectures' }
  const { status } = await caller.post('assets/folders/', folder, { 'idempotency-key': 'first' })
  expect(status).toBe(201)
  const { asset } = await probedAsset(caller, {}, withDatabase(stackEnv(), 'isolation'))
  await caller.patch(`assets/${asset.id}/`, { title: 'Lecture 1', tags: ['Physics'] })
  await insertProcessingRows(caller, asset.id)
  const chapters = [{ title: 'Opening', start_time: '00:00:00' }]
  expect((await caller.post(`assets/${asset.id}/chapters/`, { chapters })).status).toBe(201)
  const subtitle = { language: 'de', content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nTag\n' }
  const track = await caller.post<{ id: string }>(`assets/${asset.id}/subtitles/`, subtitle)
  const replaced = { content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nNacht\n' }
  expect((await caller.put(`assets/${asset.id}/subtitles/${track.body.id}/`, replaced)).status).toBe(200)
  const { asset: deleted } = await openSession(caller)
  expect((await caller.delete(`assets/${deleted.id}/`)).status).toBe(204)
  // The last use of a token and the sequencing of events are written shortly after the response. Rows that still change
  // would make the comparison fail.
  await vi.waitFor(async () => {
    expect(await tokenUses(caller)).toEqual([true])
    expect(await allRowsOf(caller.organizationId, ['event_outbox'])).toEqual([])
  }, 60_000)
  return { caller, assetId: asset.id }
}

/** Adds playback tokens, webhooks and their deliveries. */
async function published({ organizationId }: Caller, assetId: string): Promise<void> {
  await superuser.query(
    `insert into access_tokens (organization_id, asset_id, id, is_single_use, referrers, networks, expires_at)
     values ($1, $2, gen_random_uuid(), true, '{}', '{}', 'infinity')`,
    [organizationId, assetId],
  )
  for (const insert of [
    `insert into signing_keys (organization_id, id, name, public_key)
     values ($1, gen_random_uuid(), 'Website', decode(repeat('00', 32), 'hex'))`,
    `insert into spent_passes (organization_id, jti, expires_at) values ($1, 'x', 'infinity')`,
    `insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id)
     values ($1, '${webhookId}', 'https://example.com/', '', '{}', '', 'test')`,
    `insert into webhook_deliveries
       (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
     values ($1, '${webhookId}', 1, now(), gen_random_uuid(), 'folder.created', 'x', 'infinity')`,
    `insert into webhook_attempts
       (organization_id, webhook_id, number, numbered_at, attempt, at, url, milliseconds)
     values ($1, '${webhookId}', 1, now(), 1, now(), 'https://example.com/', 1)`,
    `insert into tokens (organization_id, id, name, kind, scopes)
     values ($1, '${memberId}', 'Kim', 'member', '{assets:read}')`,
    `insert into members (organization_id, id, issuer, subject, role)
     values ($1, '${memberId}', 'local', 'kim', 'viewer')`,
    `insert into roles (organization_id, id, name, scopes) values ($1, gen_random_uuid(), 'Reader', '{assets:read}')`,
    `insert into invitations (organization_id, id, secret_hash, email, role, expires_at)
     values ($1, gen_random_uuid(), sha256('x'), 'kim@example.org', 'viewer', 'infinity')`,
    `insert into recovery_links (organization_id, member_id, secret_hash, expires_at)
     values ($1, '${memberId}', sha256('x'), 'infinity')`,
    `insert into event_outbox (organization_id, type, subject, data) values ($1, 'folder.created', 'x', '{}')`,
    `insert into moment_embeddings (organization_id, asset_id, source, number, model, fingerprint)
     select organization_id, asset_id, source, number, 1, 0::bit(1024) from moments where organization_id = $1`,
  ]) {
    await superuser.query(insert, [organizationId])
  }
}

const memberId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2f'
const webhookId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

async function insertProcessingRows({ organizationId }: Caller, assetId: string): Promise<void> {
  for (const insert of [
    'insert into pipelines values ($1, $2, 1)',
    `insert into pipeline_steps (organization_id, asset_id, step, queue, state, due_at)
     values ($1, $2, 'video-probe', 'probe', 'waiting', 'infinity')`,
    `insert into asset_plans values ($1, $2, '{}')`,
    `insert into renditions (organization_id, asset_id, name, bitrate_max, segments_total)
     values ($1, $2, 'audio', 128000, 1)`,
    `insert into rendition_parts values ($1, $2, 'audio', 0, 'x/', '[]')`,
    `insert into published_files values ($1, $2, 'x/', 'video-encode', '', '{}', '{}', '')`,
    'insert into asset_clips values ($1, $2, $2, $2, 0, 30, 30, 1, 120)',
    'insert into asset_trims values ($1, $2, $2, 0, 20, 0, 30, 30, 1, 120)',
  ]) {
    await superuser.query(insert, [organizationId, assetId])
  }
  await superuser.query(
    `insert into organization_master_keys values ($1, 1, 'test', decode(repeat('00', 60), 'hex'))`,
    [organizationId],
  )
  await superuser.query('insert into asset_protections values ($1, $2, 1)', [organizationId, assetId])
  await superuser.query(`insert into asset_drm values ($1, $2, 'clearkey', 'cbcs', '[]', '[]', repeat('0', 64))`, [
    organizationId,
    assetId,
  ])
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
/** All rows of the other organization, before any attempt to change them. */
let before: string[]
// Creates two organizations once for all tests: no test changes them.
beforeAll(async () => {
  ours = (await newPopulatedOrganization()).organizationId
  theirs = (await newPopulatedOrganization()).organizationId
  db = database.forOrganization(ours as OrganizationId)
  before = await allRowsOf(theirs)
})

/** All rows of an organization in these tables, to see that none of them changed. */
async function allRowsOf(
  organizationId: string,
  inTables: readonly (typeof tables)[number][] = tables,
): Promise<string[]> {
  const selects = inTables.map((table) => `select t::text as row from ${table} t where ${idColumnOf(table)} = $1`)
  const rows = await superuser.query<{ row: string }>(`${selects.join(' union all ')} order by row`, [organizationId])
  return rows.map(({ row }) => row)
}

describe.each([...tables, ...views])('reading %s', (table) => {
  const id = idColumnOf(table)

  it('finds only our rows without a condition', async () => {
    const [rows] = await db.run(unscoped(`select ${id} as id from ${table}`))
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map((row) => row['id']))).toEqual(new Set([ours]))
  })

  it('finds nothing with the id of another organization', async () => {
    const [rows] = await db.run(unscoped(`select from ${table} where ${id} = $1`, theirs))
    expect(rows).toEqual([])
  })

  it('finds no rows of another organization through a join or a subquery', async () => {
    const [joined, nested] = await db.run(
      unscoped(`select b.${id} as id from tokens a cross join ${table} b`),
      unscoped(`select (select max(${id}) from ${table} where ${id} <> $1) as id`, ours),
    )
    expect(new Set(joined.map((row) => row['id']))).toEqual(new Set([ours]))
    expect(nested).toEqual([{ id: null }])
  })

  it('finds nothing for an unknown organization or without an organization', async () => {
    for (const id of ['nobody00', '', '%', `${ours},${theirs}`]) {
      const [rows] = await database.forOrganization(id as OrganizationId).run(unscoped(`select from ${table}`))
      expect(rows).toEqual([])
    }
    expect(await database.runUnscoped(unscoped(`select from ${table}`))).toEqual([])
  })
})

describe('row-level security', () => {
  it('limits updates without a condition to our rows', async () => {
    const { organizationId } = await newPopulatedOrganization()
    const db = database.forOrganization(organizationId as OrganizationId)
    await db.run(unscoped(`update folders set title = 'mine now'`))
    await db.run(unscoped(`update tokens set revoked_at = now()`))
    await db.run(unscoped('update folder_counts set folder_count = 0'))
    await db.run(unscoped(`update upload_sessions set look_at = null`))
    await db.run(unscoped('update chapter_sets set last_id = 0'))
    await db.run(unscoped('delete from chapters'))
    await db.run(unscoped(`update asset_plans set plan = '[]'`))
    await db.run(unscoped('update renditions set segments_done = 1'))
    await db.run(unscoped('delete from rendition_parts'))
    await db.run(unscoped('delete from published_files'))
    await db.run(unscoped('delete from moment_embeddings'))
    await db.run(unscoped('delete from assets_to_embed'))
    await db.run(unscoped('delete from moments'))
    await db.run(unscoped('delete from search_configurations'))
    await db.run(unscoped('delete from asset_clips'))
    await db.run(unscoped('delete from asset_trims'))
    await db.run(unscoped(`update subtitle_tracks set storage_key = 'mine'`))
    await db.run(unscoped('delete from subtitle_tracks'))
    await db.run(unscoped('delete from assets'))
    await db.run(unscoped('delete from asset_counts'))
    await db.run(unscoped('delete from folders'))
    await db.run(unscoped('delete from folder_counts'))
    const emptied = ['idempotency_keys', 'webhooks', 'event_outbox', 'signing_keys', 'spent_passes'] as const
    for (const table of emptied) await db.run(unscoped(`delete from ${table}`))
    expect(await allRowsOf(theirs)).toEqual(before)
    expect(await allRowsOf(organizationId, [...emptied, 'assets', 'folders'])).toEqual([])
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
    'delete from published_files where organization_id = $1 returning prefix',
    'delete from moment_embeddings where organization_id = $1 returning source',
    'update assets_to_embed set changes = 7 where organization_id = $1 returning asset_id',
    'delete from moments where organization_id = $1 returning text',
    'delete from asset_clips where organization_id = $1 returning asset_id',
    'update asset_trims set end_frame = 7 where organization_id = $1 returning asset_id',
    'delete from assets where organization_id = $1 returning id',
    'delete from folders where organization_id = $1 returning uuid',
    'delete from idempotency_keys where organization_id = $1 returning key',
    'update access_tokens set revoked_at = now() where organization_id = $1 returning id',
    'delete from signing_keys where organization_id = $1 returning id',
    'delete from spent_passes where organization_id = $1 returning jti',
    'delete from event_outbox where organization_id = $1 returning id',
    'update event_logs set last_number = 0 where organization_id = $1 returning last_number',
    `update webhooks set url = 'https://example.org/' where organization_id = $1 returning id`,
    'update webhook_deliveries set attempts = 7 where organization_id = $1 returning number',
  ])('protects the rows of another organization from: %s', async (text) => {
    const [rows] = await db.run(unscoped(text, theirs))
    expect(rows).toEqual([])
    expect(await allRowsOf(theirs)).toEqual(before)
  })

  it.each([
    ['a folder', `insert into folders values ($1, 'abcdefghijk', null, 'x', 'x', '{}')`],
    ['a count', 'insert into folder_counts values ($1, 15, 7, 7)'],
    ['a stored response', `insert into idempotency_keys values ($1, 'k', sha256(''), '')`],
    ['a token', `insert into tokens values ($1, gen_random_uuid(), 'x', sha256(''), '{*}')`],
    [
      'an upload session',
      `insert into upload_sessions
         (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 1, now(), now()`,
    ],
    [
      'a moment',
      `insert into moments (organization_id, asset_id, source, number, kind, start_ms, text, words)
       select $1, gen_random_uuid(), 'title', 0, 'title', 0, 'x', ''`,
    ],
    ['an embedding', `insert into moment_embeddings select $1, gen_random_uuid(), 'title', 0, 1, 0::bit(1024), 0, 0`],
    ['a chapter', `insert into chapters values ($1, gen_random_uuid(), 1, 0, 'x')`],
    ['a plan', `insert into asset_plans values ($1, gen_random_uuid(), '{}')`],
    [
      'a rendition',
      `insert into renditions (organization_id, asset_id, name, bitrate_max, segments_total)
       select $1, gen_random_uuid(), 'audio', 1, 1`,
    ],
    ['segments that can be played', `insert into rendition_parts select $1, gen_random_uuid(), 'audio', 0, 'x/', '[]'`],
    [
      'a clip',
      `insert into asset_clips select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, 1, 30, 1, 120`,
    ],
    ['a trim', `insert into asset_trims select $1, gen_random_uuid(), gen_random_uuid(), 0, 1, 0, 1, 30, 1, 120`],
    ['published files', `insert into published_files values ($1, gen_random_uuid(), 'x/', null, null, '{}', '{}', '')`],
    [
      'a subtitle track',
      `insert into subtitle_tracks values ($1, gen_random_uuid(), gen_random_uuid(), 'de', 'x', 'uploaded', 'x')`,
    ],
    [
      'a signing key',
      `insert into signing_keys (organization_id, id, name, public_key)
       values ($1, gen_random_uuid(), 'x', decode(repeat('00', 32), 'hex'))`,
    ],
    [
      'an event',
      `insert into event_outbox (organization_id, type, subject, data) values ($1, 'folder.created', 'x', '{}')`,
    ],
    [
      'a webhook',
      `insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id)
       values ($1, gen_random_uuid(), 'https://example.com/', '', '{}', '', 'test')`,
    ],
    ['our chapter, reassigned', 'update chapters set organization_id = $1'],
    ['our asset, reassigned', 'update assets set organization_id = $1'],
    ['an organization', `insert into organizations values ($1 || 'x', 'x')`],
    ['our folder, reassigned', 'update folders set organization_id = $1'],
    ['our token, reassigned', 'update tokens set organization_id = $1'],
    [
      'their count, upserted',
      `insert into folder_counts select $1, generate_series(0, 15), 0, 0
       on conflict (organization_id, slot) do update set folder_count = 0`,
    ],
  ])('rejects writes for another organization: %s', async (_, text) => {
    // SQLSTATE 42501, insufficient privilege: the policy rejects the write, or the role lacks a right.
    await expect(db.run(unscoped(text, theirs))).rejects.toMatchObject({ code: '42501' })
    expect(await allRowsOf(theirs)).toEqual(before)
  })

  it('rejects a folder of another organization as the parent of our folder', async () => {
    const [folder] = await superuser.query<{ uuid: string }>('select uuid from folders where organization_id = $1', [
      theirs,
    ])
    const move = unscoped('update folders set parent_uuid = $1', folder?.uuid)
    await expect(db.run(move)).rejects.toMatchObject({ code: '23503' })
  })
})
