/**
 * `pnpm bench:api`: what the service costs above its engine. The same requests go, in turns, to the API and
 * to a bare server that runs the same SQL (bare-server.ts). What counts are the ratios of one run, and of
 * them the CPU time a request, which a busy machine hardly moves.
 */
import { parseArgs } from 'node:util'
import {
  ApiProcess,
  newOrganization,
  openOwner,
  resetDatabase,
  startStack,
  withDatabase,
} from '@reelkeep/testkit'
import { compare, startBareServer } from './compare.ts'
import { postmasterOf } from './cpu-time.ts'
import type { Load } from './load.ts'
import { seedFolders } from './seed-folders.ts'
import { printTable } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    folders: { type: 'string', default: '10000' },
  },
})
const BARE_PORT = 8497
const CONNECTIONS = 32

const env = withDatabase(await startStack(), 'bench_api')
await resetDatabase(env)
await using owner = openOwner(env)
const { organizationId, token } = await newOrganization(owner)
await seedFolders(
  env.DATABASE_SUPERUSER_URL,
  { organization: organizationId, count: Number(values.folders) },
  () => {},
)
const postmaster = await postmasterOf(env.DATABASE_SUPERUSER_URL)

await using api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '16' }, env)
using bare = await startBareServer('bare-server.ts', [
  env.DATABASE_SUPERUSER_URL,
  String(BARE_PORT),
  organizationId,
])

const load = (method: Load['method'], url: string): Load => ({
  method,
  url,
  headers: { Authorization: `token ${token}`, 'Content-Type': 'application/json' },
  body: { title: 'Berlin lecture #' },
  seconds: Number(values.seconds),
  connections: CONNECTIONS,
})

const compareMethod = (method: Load['method']) =>
  compare(
    `${method} folders/`,
    {
      bare: { pid: bare.pid, load: load(method, `http://127.0.0.1:${BARE_PORT}/`) },
      api: {
        pid: api.child.pid ?? 0,
        load: load(method, `${api.baseUrl}/api/v1/${organizationId}/assets/folders/`),
      },
    },
    Number(values.rounds),
    postmaster,
  )

printTable([await compareMethod('GET'), await compareMethod('POST')])
process.stdout.write(
  `\nCPU is the server's and Postgres' together. Goals: 0.80 of bare for GET, 0.85 for POST; ` +
    `${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)
