/** Rows of an organization, carried by Postgres from one server to another: what of them arrives, and what does not. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newOrganization, OwnPostgres, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  holdOrganization,
  markGone,
  releaseOrganization,
} from '../../../capabilities/holds/holds.ts'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { type OpenCell, openCell } from '../open-cell.ts'
import { forgetRows } from './forget-rows.ts'
import { deleteSomeRows } from './moved-tables.store.ts'
import { hasSubscription } from './replication.store.ts'
import { assertSameRows, followRows, stopFollowing, untilReplayed, type Way } from './rows.ts'

const env = stackEnv()
const other = await opened(OwnPostgres.start('cells'))
const here = await opened(Superuser.open())
const there = await opened(Superuser.open(other.env))
const owner = await opened(Promise.resolve(openOwner()))

function cellOf(name: string, database: string): OpenCell {
  const { STORAGE_ENDPOINT: endpoint, STORAGE_ACCESS_KEY_ID: accessKeyId } = env
  return openCell({
    name,
    cell: {
      ...{ api: ['http://127.0.0.1:1'], keyEncryptionKeys: ['development'] },
      ...{ database, databaseForCells: database },
      storage: {
        ...{ endpoint, publicEndpoint: endpoint, region: 'us-east-1', accessKeyId },
        secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
        ...{ uploadsBucket: 'reelkeep-uploads', mediaBucket: 'reelkeep-media' },
        ...{ takesForms: true, keepsVersions: true },
      },
    },
  })
}
const source = await opened(Promise.resolve(cellOf('a', env.DATABASE_SUPERUSER_URL)))
const destination = await opened(Promise.resolve(cellOf('b', other.env.DATABASE_SUPERUSER_URL)))

let id: OrganizationId
let way: Way
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
  const { signal } = new AbortController()
  way = { source, destination, organizationId: id, signal, tell: () => {} }
  await holdOrganization(destination.database, id, 'arriving')
  return () => stopFollowing(source.database, destination.database, id)
})

const addFolder = (title: string, organizationId: string = id) =>
  here.query(
    `insert into folders (organization_id, uuid, title, search_title, grams)
     values ($1, substr(md5(random()::text), 1, 11), $2, $2, '{}')`,
    [organizationId, title],
  )

async function titlesThere(): Promise<string[]> {
  const rows = await there.query<{ title: string }>(
    'select title from folders where organization_id = $1 order by title',
    [id],
  )
  return rows.map(({ title }) => title)
}

const slots = () =>
  here.query('select from pg_replication_slots where slot_name = $1', [`reelkeep_move_${id}`])

describe('rows of an organization', () => {
  it('arrive, with what changes while they do, and nobody else’s', async () => {
    const neighbour = (await newOrganization(owner)).organizationId
    await addFolder('there before')
    await addFolder('to be renamed')
    await addFolder('to be deleted')
    await addFolder('a neighbour’s', neighbour)
    await followRows(way)
    await addFolder('came later')
    await here.query(`update folders set title = 'renamed' where title = 'to be renamed'`)
    await here.query(`delete from folders where title = 'to be deleted'`)
    await addFolder('a neighbour’s later', neighbour)
    await untilReplayed(way)
    expect(await titlesThere()).toEqual(['came later', 'renamed', 'there before'])
    expect(await there.query('select from organizations where id = $1', [neighbour])).toEqual([])
    expect(await assertSameRows(way)).toBeGreaterThan(4)
  })

  it('of weeks that the other cell never had arrive as well, with what Postgres computes', async () => {
    await here.query(
      `create table if not exists event_weeks.events_20260105 (like events including all)`,
    )
    await here.query(
      `alter table events attach partition event_weeks.events_20260105
       for values from ('2026-01-05 00:00+00') to ('2026-01-12 00:00+00')`,
    )
    await here.query(
      `insert into events (organization_id, number, numbered_at, id, type, subject, data, created_at)
       values ($1, 1, '2026-01-06 12:00+00', gen_random_uuid(), 'folder.updated', 'x', '{"a":1}', now())`,
      [id],
    )
    // Of a mover that was killed between making a week and attaching it.
    await there.query('create table event_weeks.events_20260105 (like events)')
    await followRows(way)
    await here.query(`update events set subject = 'y' where organization_id = $1`, [id])
    await untilReplayed(way)
    const told = `select subject, data_bytes, numbered_at::date::text as day from events where organization_id = $1`
    expect(await there.query(told, [id])).toEqual([
      { subject: 'y', data_bytes: 8, day: '2026-01-06' },
    ])
    await here.query('drop table event_weeks.events_20260105')
  })

  it('do not bring along which version of a file is pinned, whatever changes later', async () => {
    await here.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, bytes, source_key, source_version, source_etag)
       values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false, 9, 'key', 'old version', 'old')`,
      [id],
    )
    await followRows(way)
    await there.query(
      `update assets set source_version = 'new version' where organization_id = $1`,
      [id],
    )
    await here.query(`update assets set title = 'renamed' where organization_id = $1`, [id])
    await untilReplayed(way)
    expect(
      await there.query('select title, source_version from assets where organization_id = $1', [
        id,
      ]),
    ).toEqual([{ title: 'renamed', source_version: 'new version' }])
  })

  it('that are missing at the end are noticed', async () => {
    await addFolder('one')
    await followRows(way)
    await there.query('delete from folders where organization_id = $1', [id])
    await expect(assertSameRows(way)).rejects.toThrow(
      'These tables differ though nothing is written: folders.',
    )
  })
})

describe('rows that are as many, and not the same', () => {
  it('are noticed, other versions of a file are not', async () => {
    await addFolder('one')
    await addFolder('two')
    await here.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, bytes, source_key, source_version, source_etag)
       values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false, 9, 'key', 'old version', 'old')`,
      [id],
    )
    await followRows(way)
    await assertSameRows(way)
    await there.query(`update folders set title = 'another' where title = 'two'`)
    await expect(assertSameRows(way)).rejects.toThrow(
      'These tables differ though nothing is written: folders.',
    )
  })
})

describe('the password of the other database', () => {
  it('is in no log, though every statement is logged with how long it took', async () => {
    const log = `select pg_read_file(current_setting('data_directory') || '/../postgres.log') as text`
    const logged = async () => (await there.query<{ text: string }>(log))[0]?.text
    await there.query('alter system set log_min_duration_statement = 0')
    await there.query('select pg_reload_conf()')
    // It is known when a statement of a new connection is.
    await expect.poll(logged).toContain('duration:')
    await followRows(way)
    await there.query('alter system reset log_min_duration_statement')
    await there.query('select pg_reload_conf()')
    expect(await logged()).toContain('pg_subscription')
    expect(await logged()).not.toContain(new URL(env.DATABASE_SUPERUSER_URL).password)
  })
})

describe('a try that was cut off', () => {
  it('is gone on with: Postgres followed meanwhile', async () => {
    await addFolder('one')
    await followRows(way)
    await addFolder('two')
    await followRows(way)
    await untilReplayed(way)
    expect(await titlesThere()).toEqual(['one', 'two'])
  })

  it('and left rows or a slot behind, is begun anew', async () => {
    await addFolder('one')
    await here.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [
      `reelkeep_move_${id}`,
    ])
    await there.query(`insert into organizations (id, name) values ($1, 'of an earlier try')`, [id])
    await followRows(way)
    expect(await titlesThere()).toEqual(['one'])
    expect(
      await there.query(`select from organizations where id = $1 and name <> 'of an earlier try'`, [
        id,
      ]),
    ).toHaveLength(1)
  })

  it('while the tables were copied is gone on with', async () => {
    await addFolder('one')
    const interruption = new AbortController()
    const cut = followRows({ ...way, signal: interruption.signal })
    const hasBegun = () => hasSubscription(destination.database, id)
    await expect.poll(hasBegun, { interval: 5 }).toBe(true)
    interruption.abort()
    await cut.catch(() => undefined)
    await followRows(way)
    await untilReplayed(way)
    expect(await titlesThere()).toEqual(['one'])
  })
})

describe('rows that may be the only ones', () => {
  it('are not taken for those of an earlier try once the organization is released', async () => {
    await addFolder('one')
    await followRows(way)
    await stopFollowing(source.database, destination.database, id)
    await releaseOrganization(destination.database, id, 'arriving')
    await expect(followRows(way)).rejects.toThrow('They stay')
    expect(await titlesThere()).toEqual(['one'])
  })

  it('are not deleted of an organization that is held for another reason', async () => {
    await addFolder('one')
    await expect(forgetRows(source.database, id, 'gone')).rejects.toThrow('They stay')
    await holdOrganization(source.database, id)
    await expect(forgetRows(source.database, id, 'gone')).rejects.toThrow('They stay')
    expect(await here.query('select from folders where organization_id = $1', [id])).toHaveLength(1)
  })

  it('are not deleted by a batch that comes after the release', async () => {
    await addFolder('one')
    const doomed = { id, why: 'gone' } as const
    const place = { name: 'folders', column: 'organization_id' }
    expect(await deleteSomeRows(source.database, doomed, place, 10)).toBeUndefined()
    expect(await here.query('select from folders where organization_id = $1', [id])).toHaveLength(1)
  })
})

describe('when following stops', () => {
  it('nothing is left that would keep the journal, and nothing more arrives', async () => {
    await followRows(way)
    expect(await slots()).toHaveLength(1)
    await stopFollowing(source.database, destination.database, id)
    expect(await slots()).toEqual([])
    await addFolder('too late')
    await sleep(200)
    expect(await titlesThere()).toEqual([])
    await stopFollowing(source.database, destination.database, id)
  })

  it('and the organization is forgotten, its neighbours are not', async () => {
    const neighbour = (await newOrganization(owner)).organizationId
    await addFolder('one')
    await addFolder('a neighbour’s', neighbour)
    await holdOrganization(source.database, id, 'leaving')
    await markGone(source.database, id)
    await forgetRows(source.database, id, 'gone')
    expect(await here.query('select from folders where organization_id = $1', [id])).toEqual([])
    expect(await here.query('select from organizations where id = $1', [id])).toEqual([])
    expect(
      await here.query('select from tokens where organization_id = $1', [neighbour]),
    ).toHaveLength(1)
    expect(
      await here.query('select from folders where organization_id = $1', [neighbour]),
    ).toHaveLength(1)
  })
})
