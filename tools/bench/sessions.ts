/**
 * `pnpm bench sessions`: creating upload sessions, compared to a bare server that runs the same SQL and signs the same
 * form (bare-sessions.ts), with 64 concurrent callers.
 */
import { parseArgs } from 'node:util'
import { openBenchService } from './support/bench-service.ts'
import { compare, startBareServer } from './support/compare.ts'
import type { Load } from './support/load.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
  },
})
const BARE_PORT = 8496
const CALLERS = 64

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

const load = (url: string): Load => ({
  method: 'POST',
  url,
  headers: service.headers,
  body: { title: 'Berlin lecture #', resolutions: ['360p', '720p'] },
  seconds: Number(values.seconds),
  connections: CALLERS,
})

const row = await compare(
  'POST upload-sessions/',
  {
    bare: { pid: bare.pid, load: load(`http://127.0.0.1:${BARE_PORT}/`) },
    api: { pid: service.pid, load: load(`${service.assetsUrl}/upload-sessions/`) },
  },
  Number(values.rounds),
  service.postmaster,
)
printTable([row])
process.stdout.write(
  `\nGoal: 0.80 of the bare rate; ${CALLERS} callers, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)
