import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Tests have a stack of their own, because they empty its database. Its name is a setting of its own, too:
 * a developer's STACK_NAME must never lead them to the developer's data.
 */
export const stackEnvironment = {
  ...process.env,
  STACK_NAME: process.env['TEST_STACK_NAME'] ?? 'test',
  STACK_PORT: process.env['TEST_STACK_PORT'] ?? '7500',
  STACK_DIR: '',
}

/** What a command is given beside its settings: where its compiled code is kept, if anywhere. */
export const commandEnvironment = process.env['NODE_COMPILE_CACHE']
  ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
  : {}

/** Where processes lie that were put together to start sooner, if they were: see `compile-processes.ts`. */
export const compiledProcesses = process.env['COMPILED_PROCESSES']

/** From the set-up of a run to the processes that it starts. */
export function tellCompiledProcesses(folder: string): void {
  process.env['COMPILED_PROCESSES'] = folder
}

/**
 * Whether this run of tests has migrated a database to be copied. One that an older run has left may lack what
 * has come since.
 */
export const isDatabasePrepared = () => process.env['DATABASE_PREPARED'] === 'yes'

export function tellDatabasePrepared(): void {
  process.env['DATABASE_PREPARED'] = 'yes'
}

/** Where the seeding command finds the database, past row-level security; set by `stack/run`. */
export const stackAddress = process.env['DATABASE_SUPERUSER_URL']

/** The service to judge, if it is not to be one that we start: its address and two organizations of it. */
export const judged = {
  baseUrl: process.env['REELKEEP_BASE_URL'],
  organizations: [
    [process.env['REELKEEP_ORGANIZATION'], process.env['REELKEEP_TOKEN']],
    [process.env['REELKEEP_OTHER_ORGANIZATION'], process.env['REELKEEP_OTHER_TOKEN']],
  ],
} as const

/** The random run of requests: how many, and which; the same seed makes the same ones again. */
export const randomRun = {
  requests: Number(process.env['RANDOM_REQUESTS'] ?? 20_000),
  seed: Number(process.env['RANDOM_SEED'] ?? Date.now() % 0x7fffffff),
} as const

/** Where the picture of the asset page in the guides is to be written, if at all. */
export const assetPagePicture = process.env['ASSET_PAGE_PICTURE']

/**
 * Which films `pnpm test:media` takes: "all", "sample", or names with commas between. Hostile files and
 * playback take a sample by the same word.
 */
export const wantedFilms = process.env['FILMS'] ?? 'all'
