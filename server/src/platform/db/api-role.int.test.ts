import { Superuser, stackEnv } from '@reelkeep/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import type { Query } from './statement.ts'

let superuser: Superuser
/** One connection, so that every query reuses it. */
let database: Database
beforeAll(async () => {
  superuser = await Superuser.open()
  const { DATABASE_URL: url } = stackEnv()
  database = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 10 }, () => {})
})
afterAll(async () => {
  await superuser[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const query = (text: string): Query<Record<string, unknown>> => ({
  name: '',
  text,
  values: () => [],
})

describe('the role reelkeep_api', () => {
  it('is no superuser, does not bypass policies, and cannot create roles or databases', async () => {
    const [role] = await superuser.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication
       from pg_roles where rolname = 'reelkeep_api'`,
    )
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
    })
  })

  it('owns nothing and is a member of no other role', async () => {
    const owned = await superuser.query(
      `select relname from pg_class where relowner = 'reelkeep_api'::regrole
       union all select proname from pg_proc where proowner = 'reelkeep_api'::regrole
       union all select nspname from pg_namespace where nspowner = 'reelkeep_api'::regrole`,
    )
    const memberships = await superuser.query(
      `select roleid::regrole from pg_auth_members where member = 'reelkeep_api'::regrole`,
    )
    expect({ owned, memberships }).toEqual({ owned: [], memberships: [] })
  })

  it('is the role that the service connects with', async () => {
    expect(await database.runUnscoped(query('select current_user, session_user'))).toEqual([
      { current_user: 'reelkeep_api', session_user: 'reelkeep_api' },
    ])
  })

  it.each([
    'alter table folders disable row level security',
    'alter table folders no force row level security',
    'create policy everybody on folders using (true)',
    'drop policy own_organization on folders',
    'set role reelkeep_owner',
    'set role reelkeep_search',
    'set session authorization postgres',
    'create table public.loot (id integer)',
    'create temporary table loot (id integer)',
    'truncate folders',
    'drop table folders',
    'update organizations set is_open = true',
    'delete from schema_migrations',
    'insert into organization_master_keys default values',
    'update organization_master_keys set generation = 2',
    'delete from organization_master_keys',
    'insert into asset_protections default values',
    'update asset_protections set generation = 2',
    'insert into asset_drm default values',
    'delete from asset_drm',
  ])('may not run: %s', async (text) => {
    await expect(database.runUnscoped(query(text))).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the role reelkeep_worker', () => {
  it('has no more rights on tenant tables than reelkeep_api', async () => {
    const [role] = await superuser.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
         array(select roleid::regrole::text from pg_auth_members where member = oid) as memberships
       from pg_roles where rolname = 'reelkeep_worker'`,
    )
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      memberships: ['reelkeep_api'],
    })
  })

  it('reads only the rows of the organization that it works for', async () => {
    const id = newOrganizationId()
    const { DATABASE_WORKER_URL: url } = stackEnv()
    await using worker = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 10 }, () => {})
    await superuser.query(`insert into organizations (id, name) values ($1, 'Test')`, [id])
    const all = query('select id from organizations')
    expect(await worker.forOrganization(id).run(all)).toEqual([[{ id }]])
    expect(await worker.forOrganization(newOrganizationId()).run(all)).toEqual([[]])
    expect(await worker.runUnscoped(all)).toEqual([])
    for (const forbidden of ['create table dbos.loot (id integer)', 'truncate dbos.queues']) {
      await expect(worker.runUnscoped(query(forbidden))).rejects.toMatchObject({ code: '42501' })
    }
  })
})

describe('a role of another application on the same server', () => {
  it('has no rights on the database and its schemas', async () => {
    const granted = await superuser.query(`
      select 'database' as object, privilege_type as right
      from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
      where datname in (current_database(), 'reelkeep_migrated') and grantee = 0
      union all
      select nspname, privilege_type
      from pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
      where nspname in ('public', 'dbos', 'event_weeks') and grantee = 0`)
    expect(granted).toEqual([])
  })
})

/** Runs the tests with prepared statements and with statements that are planned on every run. */
describe.each([
  ['prepared', 'whose'],
  ['unprepared', ''],
])('the organization setting of a connection (%s statements)', (_, name) => {
  const setting = {
    ...query(`select current_setting('app.organization_id', true) as organization`),
    name,
  }
  const failing = { ...query('select 1 / 0'), name: name && 'failing' }
  const whose = async () => (await database.runUnscoped(setting))[0]?.['organization'] || null

  let id: OrganizationId
  let db: OrganizationDb
  beforeEach(() => {
    id = newOrganizationId()
    db = database.forOrganization(id)
  })

  it('is set for every statement of a batch and of a transaction', async () => {
    const [[one], [two]] = await db.run(setting, setting)
    const three = await db.transaction(async (tx) => {
      await tx.run(query('select 1'))
      return (await tx.run(setting))[0][0]
    })
    expect([one, two, three]).toEqual(Array(3).fill({ organization: id }))
  })

  it('is cleared after a batch', async () => {
    await db.run(setting)
    expect(await whose()).toBeNull()
  })

  it('is cleared after a batch that failed', async () => {
    await expect(db.run(setting, failing)).rejects.toThrow()
    expect(await whose()).toBeNull()
  })

  it('is cleared after a transaction, committed or rolled back', async () => {
    await db.transaction((tx) => tx.run(setting))
    expect(await whose()).toBeNull()
    const undone = db.transaction(async (tx) => {
      await tx.run(setting)
      throw new Error('rolled back by the test')
    })
    await expect(undone).rejects.toThrow('rolled back by the test')
    expect(await whose()).toBeNull()
  })

  it('is cleared after a transaction whose statement failed', async () => {
    await expect(db.transaction((tx) => tx.run(setting, failing))).rejects.toThrow()
    expect(await whose()).toBeNull()
  })

  it('is replaced by the next organization that uses the connection', async () => {
    const other = newOrganizationId()
    await db.run(setting)
    const [[row]] = await database.forOrganization(other).run(setting)
    expect(row).toEqual({ organization: other })
  })
})
