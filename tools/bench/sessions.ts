/**
 * `pnpm bench sessions`: measures the creation of upload sessions, compared to a bare server that runs the same SQL and
 * signs the same form (bare-sessions.ts), with 64 concurrent callers.
 */
import { parseArgs } from 'node:util'
import { openBenchService } from './support/bench-service.ts'
import { compare, startBareServer } from './support/compare.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
  },
})
const BARE_PORT = 8496
const CALLERS = 64
/** Minimum ratio of the CPU time of the bare server to that of the API. */
const GOAL = 0.8

await using service = await openBenchService('bench_sessions')
const { env } = service
using bare = await startBareServer('bare-sessions.ts', [
  env.DATABASE_SUPERUSER_URL,
  String(BARE_PORT),
  service.organizationId,
  `${env.STORAGE_ENDPOINT}/reelkeep-uploads`,
  env.STORAGE_ACCESS_KEY_ID,
  env.STORAGE_SECRET_ACCESS_KEY,
])

const { row, cpuRatio } = await compare({
  ...{ api: service, other: { ...service, ...bare, assetsUrl: `http://127.0.0.1:${BARE_PORT}` }, otherName: 'bare' },
  ...values,
  request: 'POST upload-sessions/',
  body: { title: 'Berlin lecture #', resolutions: ['360p', '720p'] },
  connections: CALLERS,
})
printTable([row])
process.stdout.write(
  `\nGoal: ${GOAL} of bare, by CPU time; ${CALLERS} callers, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK) checkGoals([{ name: 'the CPU ratio', value: cpuRatio, min: GOAL }])
