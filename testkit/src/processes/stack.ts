import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { CONNECT_MILLISECONDS_MAX, isDatabasePrepared, root, stackEnvironment } from '../settings.ts'

const run = promisify(execFile)

export type StackEnv = {
  readonly DATABASE_URL: string
  readonly DATABASE_WORKER_URL: string
  readonly DATABASE_OWNER_URL: string
  readonly DATABASE_SUPERUSER_URL: string
  readonly STORAGE_ENDPOINT: string
  readonly STORAGE_ACCESS_KEY_ID: string
  readonly STORAGE_SECRET_ACCESS_KEY: string
  readonly STORAGE_UPLOAD_ACCESS_KEY_ID: string
  readonly STORAGE_UPLOAD_SECRET_ACCESS_KEY: string
  readonly PLAYBACK_SECRET: string
  readonly KEY_ENCRYPTION_KEYS: string
}

/** Starts Postgres and storage unless they are running. */
export async function startStack(...parts: readonly string[]): Promise<StackEnv> {
  await runStack('up', parts)
  return stackEnv()
}

export type Stack = {
  readonly name: string
  readonly port: number
  /** Whether the clock of Postgres can be set; `real` by default. */
  readonly clock?: 'real' | 'settable'
}

/** A second stack; `port` is an offset from the port of the first stack. */
export const stackBeside = (suffix: string, port: number): Stack => ({
  name: `${stackEnvironment.STACK_NAME}-${suffix}`,
  port: Number(stackEnvironment.STACK_PORT) + port,
})

/** Runs a command of the folder `stack`, by default for the stack of this test run. */
export async function runStack(
  command: 'up' | 'down' | 'wipe' | 'fault',
  args: readonly string[] = [],
  stack?: Stack,
): Promise<void> {
  const clock = stack?.clock && { STACK_POSTGRES_CLOCK: stack.clock }
  const other = stack && { STACK_NAME: stack.name, STACK_PORT: String(stack.port), ...clock }
  await run(join(root, 'stack', command), args, { env: { ...stackEnvironment, ...other } })
}

/** Addresses and credentials of the running stack. */
export function stackEnv(name = stackEnvironment.STACK_NAME): StackEnv {
  const file = join(root, '.stack', name, 'env')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as StackEnv
}

/** Returns the settings for the same servers with another database. */
export function withDatabase(env: StackEnv, name: string): StackEnv {
  const renamed = (address: string) => {
    const url = new URL(address)
    url.pathname = `/${name}`
    return url.href
  }
  return {
    ...env,
    DATABASE_URL: renamed(env.DATABASE_URL),
    DATABASE_WORKER_URL: renamed(env.DATABASE_WORKER_URL),
    DATABASE_OWNER_URL: renamed(env.DATABASE_OWNER_URL),
    DATABASE_SUPERUSER_URL: renamed(env.DATABASE_SUPERUSER_URL),
  }
}

/** Returns the settings with a second server in the URLs of the service. The standby is listed first. */
export function withStandby(env: StackEnv, port: number): StackEnv {
  const both = (address: string) => address.replace('@', `@127.0.0.1:${port},`)
  return {
    ...env,
    DATABASE_URL: both(env.DATABASE_URL),
    DATABASE_WORKER_URL: both(env.DATABASE_WORKER_URL),
    DATABASE_OWNER_URL: both(env.DATABASE_OWNER_URL),
  }
}

/** A database that is migrated once per test run and copied for each file that needs its own. */
const TEMPLATE = 'reelkeep_migrated'

/** Creates the template database before the first test: migrating a database takes seconds, copying it is faster. */
export async function prepareDatabases(env: StackEnv): Promise<void> {
  await asSuperuser(env, async (query) => {
    await query(`drop database if exists ${TEMPLATE} with (force)`)
    await query(`create database ${TEMPLATE} owner reelkeep_owner`)
    await migrate(withDatabase(env, TEMPLATE))
    // Postgres cannot copy a database that has connections.
    await query(`alter database ${TEMPLATE} allow_connections false`)
  })
}

/** Replaces the database with an empty one with the newest schema. */
export async function resetDatabase(env: StackEnv): Promise<void> {
  const name = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  const isCopied = await asSuperuser(env, async (query) => {
    await query(`drop database if exists ${name} with (force)`)
    const isCopy = isDatabasePrepared() && (await query(templates)).rowCount === 1
    await query(`create database ${name} owner reelkeep_owner${isCopy ? ` template ${TEMPLATE}` : ''}`)
    // Postgres does not copy the rights on the database itself.
    if (isCopy) await query(`revoke all on database ${name} from public`)
    if (isCopy) await query(`grant connect on database ${name} to reelkeep_api`)
    return isCopy
  })
  if (!isCopied) await migrate(env)
}

/** Query for the template database, which other servers started by tests do not have. */
const templates = `select from pg_database where datname = '${TEMPLATE}'`

type Query = (text: string) => Promise<pg.QueryResult>

async function asSuperuser<Result>(env: StackEnv, work: (query: Query) => Promise<Result>) {
  const { DATABASE_SUPERUSER_URL: connectionString } = withDatabase(env, 'postgres')
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_MILLISECONDS_MAX,
  })
  await client.connect()
  try {
    return await work((text) => client.query(text))
  } finally {
    await client.end()
  }
}

export async function migrate(env: StackEnv): Promise<void> {
  await run(join(root, 'server/migrate'), { env: { ...stackEnvironment, ...env } })
}
