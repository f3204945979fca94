import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Tests have their own stack, because they empty its database. The stack has its own setting for the name, so that
 * tests never use a developer's data because of STACK_NAME.
 */
export const stackEnvironment = {
  ...process.env,
  STACK_NAME: process.env['TEST_STACK_NAME'] ?? 'test',
  STACK_PORT: process.env['TEST_STACK_PORT'] ?? '7500',
  STACK_DIR: '',
}

/** Environment of commands besides their settings: the folder for compiled code, if set. */
export const commandEnvironment = process.env['NODE_COMPILE_CACHE']
  ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
  : {}

/** Time limit for the tests' own connections to Postgres. Production's 5 seconds are too few on a busy machine. */
export const CONNECT_MILLISECONDS_MAX = 60_000

/** Time limit for connections of the service under test to Postgres, unless a test sets another one. */
export const databaseTimeouts = { DATABASE_CONNECT_TIMEOUT_SECONDS: '60' }

/** Folder of the bundled processes, if there are any: see `compile-processes.ts`. */
export const compiledProcesses = process.env['COMPILED_PROCESSES']

/** Passes the folder of the bundled processes from the set-up of a test run to the test processes. */
export function setCompiledProcesses(folder: string): void {
  process.env['COMPILED_PROCESSES'] = folder
}

/** Whether this test run has migrated the template database. A template of an older run may lack newer migrations. */
export const isDatabasePrepared = () => process.env['DATABASE_PREPARED'] === 'yes'

export function markDatabasePrepared(): void {
  process.env['DATABASE_PREPARED'] = 'yes'
}

/** The superuser connection of the seeding command, which bypasses row-level security; set by `stack/run`. */
export const superuserUrl = process.env['DATABASE_SUPERUSER_URL']

/** The URL and two organizations of a running service to test, instead of one that the tests start. */
export const externalService = {
  baseUrl: process.env['REELKEEP_BASE_URL'],
  organizations: [
    [process.env['REELKEEP_ORGANIZATION'], process.env['REELKEEP_TOKEN']],
    [process.env['REELKEEP_OTHER_ORGANIZATION'], process.env['REELKEEP_OTHER_TOKEN']],
  ],
} as const

/** Number of random requests, and their seed; the same seed repeats the same requests. */
export const randomRun = {
  requests: Number(process.env['RANDOM_REQUESTS'] ?? 20_000),
  /** Schedules of requests by principals with limits. */
  schedules: Number(process.env['RANDOM_SCHEDULES'] ?? 15),
  seed: Number(process.env['RANDOM_SEED'] ?? Date.now() % 0x7fffffff),
} as const

/** Where to write the screenshot of the asset page for the guides, if set. */
export const assetPageScreenshot = process.env['ASSET_PAGE_PICTURE']

/**
 * Films for `pnpm long films`: "all", "sample", or a comma-separated list of names. "sample" also reduces the
 * hostile-file and playback suites.
 */
export const filmSelection = process.env['FILMS'] ?? 'all'
