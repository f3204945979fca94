import { resetDatabase, type StackEnv } from '@reelkeep/testkit'
import pg from 'pg'
import { seedFolders } from './seed-folders.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

/** Creates the database and the organization with this many folders unless they exist. */
export async function seedOnce(env: StackEnv, organization: string, count: number): Promise<void> {
  if (!(await exists(env))) await resetDatabase(env)
  const [row] = await ask<{ folders: string }>(
    env,
    'select coalesce(sum(folder_count), 0) as folders from folder_counts where organization_id = $1',
    [organization],
  )
  if (Number(row?.folders) === count) return
  say(`seeding ${count} folders for ${organization}`)
  await seedFolders(env.DATABASE_SUPERUSER_URL, { organization, count }, say)
}

/** The sort key of the folder at this position in the list. */
export async function keyAtDepth(env: StackEnv, organization: string, depth: number) {
  const [row] = await ask<{ title: string; uuid: string }>(
    env,
    `select title, uuid from folders where organization_id = $1 order by title, uuid offset $2 limit 1`,
    [organization, depth],
  )
  return [row?.title ?? '', row?.uuid ?? '']
}

async function exists(env: StackEnv): Promise<boolean> {
  const name = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  const maintenance = {
    ...env,
    DATABASE_SUPERUSER_URL: new URL('/postgres', env.DATABASE_SUPERUSER_URL).href,
  }
  const rows = await ask(maintenance, 'select from pg_database where datname = $1', [name])
  return rows.length > 0
}

async function ask<Row>(env: StackEnv, text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: env.DATABASE_SUPERUSER_URL })
  await client.connect()
  try {
    const { rows } = await client.query(text, values)
    return rows as Row[]
  } finally {
    await client.end()
  }
}
