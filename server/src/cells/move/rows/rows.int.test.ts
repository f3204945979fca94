/** Replication of an organization's rows from one Postgres server to another. */
import type { roles } from '@reelkeep/contract'
import {
  Caller,
  fastHashing,
  newBrowser,
  newMember,
  newOrganization,
  newSession,
  OwnPostgres,
  openOwner,
  Superuser,
  stackEnv,
  TestApi,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { verifyEntries } from '../../../modules/audit/audit.ts'
import {
  markMigratedAway,
  migratorDb,
  resumeOrganization,
  suspendOrganization,
} from '../../../modules/suspension/suspension.ts'
import { type OpenCell, openCell } from '../open-cell.ts'
import { sealAll } from '../sequence-events.ts'
import { deleteRows } from './delete-rows.ts'
import { deleteSomeRows } from './moved-tables.store.ts'
import { hasSubscription } from './replication.store.ts'
import { assertSameRows, type MoveContext, replicateRows, stopReplication, untilReplayed } from './rows.ts'

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
        ...{ supportsForms: true, keepsVersions: true },
      },
    },
  })
}
const source = await opened(Promise.resolve(cellOf('a', env.DATABASE_SUPERUSER_URL)))
const destination = await opened(Promise.resolve(cellOf('b', other.env.DATABASE_SUPERUSER_URL)))

let id: OrganizationId
let token: string
let context: MoveContext
beforeEach(async () => {
  const created = await newOrganization(owner)
  id = created.organizationId
  token = created.token
  const { signal } = new AbortController()
  context = { source, destination, organizationId: id, signal, report: () => {} }
  await suspendOrganization(destination.database, id, 'arriving')
  return () => stopReplication(source.database, destination.database, id)
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

const slots = () => here.query('select from pg_replication_slots where slot_name = $1', [`reelkeep_move_${id}`])

describe('rows of an organization', () => {
  it('are copied with their concurrent changes, and without rows of other organizations', async () => {
    const neighbour = (await newOrganization(owner)).organizationId
    await addFolder('there before')
    await addFolder('to be renamed')
    await addFolder('to be deleted')
    await addFolder('a neighbour’s', neighbour)
    await replicateRows(context)
    await addFolder('came later')
    await here.query(`update folders set title = 'renamed' where title = 'to be renamed'`)
    await here.query(`delete from folders where title = 'to be deleted'`)
    await addFolder('a neighbour’s later', neighbour)
    await untilReplayed(context)
    expect(await titlesThere()).toEqual(['came later', 'renamed', 'there before'])
    expect(await there.query('select from organizations where id = $1', [neighbour])).toEqual([])
    expect(await assertSameRows(context)).toBeGreaterThan(4)
  })

  it('are copied with their generated columns, even if the destination lacks the partition of their week', async () => {
    await here.query(`create table if not exists event_weeks.events_20260105 (like events including all)`)
    await here.query(
      `alter table events attach partition event_weeks.events_20260105
       for values from ('2026-01-05 00:00+00') to ('2026-01-12 00:00+00')`,
    )
    await here.query(
      `insert into events (organization_id, number, numbered_at, id, type, subject, data, created_at)
       values ($1, 1, '2026-01-06 12:00+00', gen_random_uuid(), 'folder.updated', 'x', '{"a":1}', now())`,
      [id],
    )
    // Simulates a migration that was killed after creating a weekly partition and before attaching it.
    await there.query('create table event_weeks.events_20260105 (like events)')
    await replicateRows(context)
    await here.query(`update events set subject = 'y' where organization_id = $1`, [id])
    await untilReplayed(context)
    const told = `select subject, data_bytes, numbered_at::date::text as day from events where organization_id = $1`
    expect(await there.query(told, [id])).toEqual([{ subject: 'y', data_bytes: 8, day: '2026-01-06' }])
    await here.query('drop table event_weeks.events_20260105')
  })

  it('are copied without source_version, and later changes do not overwrite it at the destination', async () => {
    await here.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, bytes, source_key, source_version, source_etag)
       values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false, 9, 'key', 'old version', 'old')`,
      [id],
    )
    await replicateRows(context)
    await there.query(`update assets set source_version = 'new version' where organization_id = $1`, [id])
    await here.query(`update assets set title = 'renamed' where organization_id = $1`, [id])
    await untilReplayed(context)
    expect(await there.query('select title, source_version from assets where organization_id = $1', [id])).toEqual([
      { title: 'renamed', source_version: 'new version' },
    ])
  })

  it('are compared by assertSameRows, which throws if some are missing at the destination', async () => {
    await addFolder('one')
    await replicateRows(context)
    await there.query('delete from folders where organization_id = $1', [id])
    await expect(assertSameRows(context)).rejects.toThrow('These tables differ although nothing is written: folders.')
  })
})

describe('assertSameRows', () => {
  it('throws if rows differ in content, unless only the version of a file differs', async () => {
    await addFolder('one')
    await addFolder('two')
    await here.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, bytes, source_key, source_version, source_etag)
       values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false, 9, 'key', 'old version', 'old')`,
      [id],
    )
    await replicateRows(context)
    await assertSameRows(context)
    await there.query(`update folders set title = 'another' where title = 'two'`)
    await expect(assertSameRows(context)).rejects.toThrow('These tables differ although nothing is written: folders.')
  })
})

describe('the password of the other database', () => {
  it('is not in the Postgres log, even if every statement is logged with its duration', async () => {
    const log = `select pg_read_file(current_setting('data_directory') || '/../postgres.log') as text`
    const logged = async () => (await there.query<{ text: string }>(log))[0]?.text
    await there.query('alter system set log_min_duration_statement = 0')
    await there.query('select pg_reload_conf()')
    // Waits until log_min_duration_statement is in effect.
    await expect.poll(logged).toContain('duration:')
    await replicateRows(context)
    await there.query('alter system reset log_min_duration_statement')
    await there.query('select pg_reload_conf()')
    expect(await logged()).toContain('pg_subscription')
    expect(await logged()).not.toContain(new URL(env.DATABASE_SUPERUSER_URL).password)
  })
})

describe('an interrupted replication', () => {
  it('continues with the rows that Postgres has replicated in the meantime', async () => {
    await addFolder('one')
    await replicateRows(context)
    await addFolder('two')
    await replicateRows(context)
    await untilReplayed(context)
    expect(await titlesThere()).toEqual(['one', 'two'])
  })

  it('starts again if rows and a slot are left without a subscription', async () => {
    await addFolder('one')
    await here.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [`reelkeep_move_${id}`])
    await there.query(`insert into organizations (id, name) values ($1, 'of an earlier try')`, [id])
    await replicateRows(context)
    expect(await titlesThere()).toEqual(['one'])
    expect(
      await there.query(`select from organizations where id = $1 and name <> 'of an earlier try'`, [id]),
    ).toHaveLength(1)
  })

  it('continues after an interruption during the initial copy', async () => {
    await addFolder('one')
    const interruption = new AbortController()
    const cut = replicateRows({ ...context, signal: interruption.signal })
    const hasBegun = () => hasSubscription(destination.database, id)
    await expect.poll(hasBegun, { interval: 5 }).toBe(true)
    interruption.abort()
    await cut.catch(() => undefined)
    await replicateRows(context)
    await untilReplayed(context)
    expect(await titlesThere()).toEqual(['one'])
  })
})

describe('rows that may be the only copy', () => {
  it('are not deleted by replicateRows once the organization is resumed', async () => {
    await addFolder('one')
    await replicateRows(context)
    await stopReplication(source.database, destination.database, id)
    await resumeOrganization(destination.database, id, 'arriving')
    await expect(replicateRows(context)).rejects.toThrow('may be in service')
    expect(await titlesThere()).toEqual(['one'])
  })

  it('are not deleted if the organization is suspended for another reason', async () => {
    await addFolder('one')
    await expect(deleteRows(source.database, id, 'gone')).rejects.toThrow('may be in service')
    await suspendOrganization(source.database, id)
    await expect(deleteRows(source.database, id, 'gone')).rejects.toThrow('may be in service')
    expect(await here.query('select from folders where organization_id = $1', [id])).toHaveLength(1)
  })

  it('are not deleted by deleteSomeRows if the organization is not suspended', async () => {
    await addFolder('one')
    const table = { name: 'folders', column: 'organization_id' }
    const scope = { id, why: 'gone', table, limit: 10 } as const
    expect(await deleteSomeRows(source.database, scope)).toBeUndefined()
    expect(await here.query('select from folders where organization_id = $1', [id])).toHaveLength(1)
  })
})

describe('an organization', () => {
  it('has no replication slot after stopReplication, and none of its later changes arrive', async () => {
    await replicateRows(context)
    expect(await slots()).toHaveLength(1)
    await stopReplication(source.database, destination.database, id)
    expect(await slots()).toEqual([])
    await addFolder('too late')
    // Waits for a later change of another organization: 'too late' would have arrived before it.
    const neighbour = (await newOrganization(owner)).organizationId
    await suspendOrganization(destination.database, neighbour, 'arriving')
    const theirs = { ...context, organizationId: neighbour }
    await replicateRows(theirs)
    await addFolder('a neighbour’s', neighbour)
    await untilReplayed(theirs)
    await stopReplication(source.database, destination.database, neighbour)
    expect(await titlesThere()).toEqual([])
    await stopReplication(source.database, destination.database, id)
  })

  it('can be deleted with deleteRows without deleting rows of other organizations', async () => {
    const neighbour = (await newOrganization(owner)).organizationId
    await addFolder('one')
    await addFolder('a neighbour’s', neighbour)
    await suspendOrganization(source.database, id, 'leaving')
    await markMigratedAway(source.database, id)
    await deleteRows(source.database, id, 'gone')
    expect(await here.query('select from folders where organization_id = $1', [id])).toEqual([])
    expect(await here.query('select from organizations where id = $1', [id])).toEqual([])
    expect(await here.query('select from tokens where organization_id = $1', [neighbour])).toHaveLength(1)
    expect(await here.query('select from folders where organization_id = $1', [neighbour])).toHaveLength(1)
  })
})

describe('members, roles, invitations and the audit log', () => {
  /** Ends the migration: from then on, the other cell serves the organization. */
  async function switchOver(): Promise<void> {
    await suspendOrganization(source.database, id, 'leaving')
    await sealAll(migratorDb(source.database, id))
    await untilReplayed(context)
    await assertSameRows(context)
    await stopReplication(source.database, destination.database, id)
    await markMigratedAway(source.database, id)
    await resumeOrganization(destination.database, id, 'arriving')
  }

  it('have the same rights, links and hashes in the other cell', async () => {
    const settings = { ...fastHashing, TRUSTED_PROXY_HOPS: '1' }
    await using apiHere = await TestApi.open(settings)
    await using apiThere = await TestApi.open(settings, { ...env, ...other.env })
    const [before, after] = [apiHere, apiThere].map(({ send }) => new Caller(send, id, token)) as [Caller, Caller]
    const scopes = ['folders:read'] as const
    const role = (await before.post<roles.Role>('roles/', { name: 'Reader', scopes })).body
    const folder = (await before.post<{ uuid: string }>('assets/folders/', { title: 'Inside' })).body
    await before.post('assets/folders/', { title: 'Outside' })
    const limited = { role: role.id, scopes, folderUuid: folder.uuid }
    const member = await newMember(here, before, limited)
    expect((await member.caller.post('assets/folders/', { title: 'Refused' })).status).toBe(403)
    const email = `grace-${id}@example.org`
    const invited = await before.post<{ link: string }>('invitations/', { email, role: role.id })
    const [listed, log] = [await before.get('members/'), await before.get('audit/head/')]

    await replicateRows(context)
    await before.delete(
      `assets/folders/${(await before.post<{ uuid: string }>('assets/folders/', { title: 'x' })).body.uuid}/`,
    )
    await switchOver()

    expect((await after.get('members/')).body).toEqual(listed.body)
    // Accounts and sessions are not moved: people sign in again, here at an identity provider that both cells use.
    const again = after.withToken(await newSession(there, member))
    expect((await again.get('assets/folders/')).body).toMatchObject({ count: 1, results: [{ title: 'Inside' }] })
    expect((await again.post('assets/folders/', { title: 'Refused' })).status).toBe(403)
    const accepting = newBrowser(apiThere)
    const accepted = await accepting.post(`invitations/${invited.body.link.split('#')[1]}/accept/`, {
      ...{ name: 'Grace', password: 'a phrase of several words' },
    })
    expect(accepted.body).toMatchObject({
      memberships: [{ organization_id: id, role: { id: role.id, name: 'Reader' } }],
    })

    const verified = await verifyEntries(destination.database.forOrganization(id))
    expect(verified.broken).toBeUndefined()
    const { body: chain } = await after.get<{ results: { number: number; action: string; hash: string }[] }>('audit/')
    expect(chain.results[0]).toMatchObject({ number: verified.checked })
    expect(chain.results.map(({ number, hash }) => ({ number, hash }))).toContainEqual(log.body)
    expect(new Set(chain.results.map(({ action }) => action))).toEqual(
      new Set(['createRole', 'createFolder', 'deleteFolder', 'createInvitation', 'acceptInvitation', 'signIn']),
    )
  })
})
