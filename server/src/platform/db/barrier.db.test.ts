/**
 * Before every table of organizations stands the barrier: read from Postgres' own catalogue and
 * tried, so a new table cannot forget it. Everything happens in a transaction that is rolled back,
 * so nobody else ever sees the hold.
 */
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const superuser = await opened(Superuser.open())

type Table = { readonly table: string; readonly column: string }

/** Weeks of the log are left out: rows are written through the tables that they are weeks of. */
const tables = () =>
  superuser.query<Table>(
    `select c.oid::regclass::text as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
       and a.attname = case c.relname when 'organizations' then 'id' else 'organization_id' end
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and c.relname <> 'held_organizations'`,
  )

/** They change no row: what is refused is refused before a row is looked for. */
const writes = ({ table, column }: Table) => [
  `insert into ${table} (${column}) select ${column} from ${table} where false`,
  `update ${table} set ${column} = ${column} where false`,
  `delete from ${table} where false`,
]

/** The SQLSTATE that it was refused with. */
async function refusalOf(text: string): Promise<string | undefined> {
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

async function thoseThatPass(): Promise<string[]> {
  const passed: string[] = []
  for (const text of (await tables()).flatMap(writes)) {
    if ((await refusalOf(text)) !== 'RK001') passed.push(text)
  }
  return passed
}

const enter = (organizationId: string) =>
  superuser.query(`select set_config('app.organization_id', $1, true)`, [organizationId])

beforeEach(async () => {
  await superuser.query('begin')
  await superuser.query(`insert into held_organizations (organization_id) values ('heldorg')`)
})
afterEach(() => superuser.query('rollback'))

describe('of a held organization', () => {
  it('no table takes a row, changes one or loses one', async () => {
    await enter('heldorg')
    expect((await tables()).length).toBeGreaterThan(25)
    expect(await thoseThatPass()).toEqual([])
  })

  it('a table without the barrier would be found', async () => {
    await superuser.query('create table forgetful (organization_id text primary key)')
    await enter('heldorg')
    expect(await thoseThatPass()).toEqual(writes({ table: 'forgetful', column: 'organization_id' }))
  })

  it('everything is written by who moves it', async () => {
    await enter('heldorg')
    await superuser.query(`select set_config('app.is_mover', 'yes', true)`)
    expect(await thoseThatPass()).toHaveLength(3 * (await tables()).length)
  })

  it('nothing is in the way of another organization', async () => {
    await enter('another')
    expect(await thoseThatPass()).toHaveLength(3 * (await tables()).length)
  })
})
