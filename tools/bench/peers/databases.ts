/** The databases of `pnpm bench peers`: each service has one per size, which is seeded once and copied for every run. */
import { pipeline } from 'node:stream/promises'
import { type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

const maintenance = (env: StackEnv) => Superuser.open(withDatabase(env, 'postgres'))

export async function createDatabase(env: StackEnv, name: string): Promise<void> {
  await using superuser = await maintenance(env)
  await superuser.query(`drop database if exists ${name} with (force)`)
  await superuser.query(`create database ${name}`)
}

/** Whether the database exists and the table in it has at least one row. */
export async function isSeeded(env: StackEnv, name: string, table: string): Promise<boolean> {
  await using superuser = await maintenance(env)
  const found = await superuser.query('select from pg_database where datname = $1', [name])
  if (found.length === 0) return false
  await using inDatabase = await Superuser.open(withDatabase(env, name))
  const [row] = await inDatabase.query<{ table: string | null }>('select to_regclass($1) as table', [table])
  return row?.table != null && (await inDatabase.query(`select from ${table} limit 1`)).length > 0
}

/** Replaces the database with a copy of a seeded one. Returns the settings for the copy. */
export async function copyDatabase(env: StackEnv, seeded: string): Promise<StackEnv> {
  const copy = `${seeded}_run`
  await using superuser = await maintenance(env)
  await superuser.query(`drop database if exists ${copy} with (force)`)
  await superuser.query(`create database ${copy} template ${seeded} strategy file_copy`)
  // Postgres does not copy the rights on the database itself.
  await superuser.query(`revoke all on database ${copy} from public`)
  await superuser.query(`grant connect on database ${copy} to reelkeep_api, reelkeep_worker`)
  return withDatabase(env, copy)
}

type RowSource = { readonly env: StackEnv; readonly select: string }
type RowTarget = { readonly env: StackEnv; readonly table: string }

/** Inserts the rows of a query into a table of another database. */
export async function copyRows(source: RowSource, target: RowTarget): Promise<void> {
  const from = new pg.Client(source.env.DATABASE_SUPERUSER_URL)
  const to = new pg.Client(target.env.DATABASE_SUPERUSER_URL)
  await Promise.all([from.connect(), to.connect()])
  try {
    await pipeline(
      from.query(copyTo(`copy (${source.select}) to stdout`)),
      to.query(copyFrom(`copy ${target.table} from stdin`)),
    )
    await to.query('vacuum (analyze)')
  } finally {
    await Promise.all([from.end(), to.end()])
  }
}
