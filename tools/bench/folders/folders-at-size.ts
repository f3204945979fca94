import { resetDatabase, type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'
import { seedFolders } from './seed-folders.ts'

const print = (line: string) => process.stderr.write(`${line}\n`)

/** Creates the database and the organization with this many folders unless they exist. */
export async function seedOnce(env: StackEnv, organization: string, count: number): Promise<void> {
  if (!(await exists(env))) await resetDatabase(env)
  const [row] = await query<{ folders: string }>(
    env,
    'select coalesce(sum(folder_count), 0) as folders from folder_counts where organization_id = $1',
    [organization],
  )
  if (Number(row?.folders) === count) return
  print(`seeding ${count} folders for ${organization}`)
  await seedFolders(env.DATABASE_SUPERUSER_URL, { organization, count }, print)
}

/** The sort key of the folder at this position in the list. */
export async function keyAtDepth(env: StackEnv, organization: string, depth: number) {
  const [row] = await query<{ title: string; uuid: string }>(
    env,
    `select title, uuid from folders where organization_id = $1 order by title, uuid offset $2 limit 1`,
    [organization, depth],
  )
  return [row?.title ?? '', row?.uuid ?? '']
}

async function exists(env: StackEnv): Promise<boolean> {
  const name = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  const databases = 'select from pg_database where datname = $1'
  return (await query(withDatabase(env, 'postgres'), databases, [name])).length > 0
}

async function query<Row extends object>(env: StackEnv, text: string, values: unknown[]) {
  await using superuser = await Superuser.open(env)
  return superuser.query<Row>(text, values)
}
