import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Tests have a stack of their own, so that they and a developer do not collide. */
export const stackEnvironment = {
  ...process.env,
  STACK_NAME: process.env['STACK_NAME'] ?? 'test',
  STACK_PORT: process.env['STACK_PORT'] ?? '7500',
}

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
