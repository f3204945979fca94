/**
 * Every tenant table has the trigger that blocks writes to suspended organizations. The tables are read from
 * Postgres' catalog, so a new table without the trigger is found. Each test runs in a transaction that is
 * rolled back, so the suspension is never visible to others.
 */
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const superuser = await opened(Superuser.open())

type Table = { readonly table: string; readonly column: string }

/** All tenant tables except the weekly partitions of the event log, which are written through their parent tables. */
const tables = () =>
  superuser.query<Table>(
    `select c.oid::regclass::text as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
       and a.attname = case c.relname when 'organizations' then 'id' else 'organization_id' end
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and c.relname <> 'held_organizations'`,
  )

/** Statements that match no row: the statement-level trigger fires anyway. */
const writes = ({ table, column }: Table) => [
  `insert into ${table} (${column}) select ${column} from ${table} where false`,
  `update ${table} set ${column} = ${column} where false`,
  `delete from ${table} where false`,
]

/** Runs a statement and returns the SQLSTATE of its error, if any. */
async function sqlstateOf(text: string): Promise<string | undefined> {
  await superuser.query('savepoint before')
  try {
    await superuser.query(text)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await superuser.query('rollback to before')
  }
}

async function allowedWrites(): Promise<string[]> {
  const allowed: string[] = []
  for (const text of (await tables()).flatMap(writes)) {
    if ((await sqlstateOf(text)) !== 'RK001') allowed.push(text)
  }
  return allowed
}

const setOrganization = (organizationId: string) =>
  superuser.query(`select set_config('app.organization_id', $1, true)`, [organizationId])

beforeEach(async () => {
  await superuser.query('begin')
  await superuser.query(`insert into held_organizations (organization_id) values ('heldorg')`)
})
afterEach(() => superuser.query('rollback'))

describe('while an organization is suspended', () => {
  it('every table rejects inserts, updates and deletes for it', async () => {
    await setOrganization('heldorg')
    expect((await tables()).length).toBeGreaterThan(25)
    expect(await allowedWrites()).toEqual([])
  })

  it('the check of all tables detects a table without the write block', async () => {
    await superuser.query('create table forgetful (organization_id text primary key)')
    await setOrganization('heldorg')
    expect(await allowedWrites()).toEqual(writes({ table: 'forgetful', column: 'organization_id' }))
  })

  it('the migration of the organization may write to every table', async () => {
    await setOrganization('heldorg')
    await superuser.query(`select set_config('app.is_mover', 'yes', true)`)
    expect(await allowedWrites()).toHaveLength(3 * (await tables()).length)
  })

  it('other organizations may write to every table', async () => {
    await setOrganization('another')
    expect(await allowedWrites()).toHaveLength(3 * (await tables()).length)
  })

  it('a transaction that wrote before the suspension may continue, unless it rolled that write back', async () => {
    const write = 'delete from folders where false'
    await setOrganization('another')
    await superuser.query('savepoint first')
    await superuser.query(write)
    await superuser.query(`insert into held_organizations (organization_id) values ('another')`)
    expect(await sqlstateOf(write)).toBeUndefined()

    await superuser.query('rollback to first')
    await superuser.query(`insert into held_organizations (organization_id) values ('another')`)
    expect(await sqlstateOf(write)).toBe('RK001')
  })
})
