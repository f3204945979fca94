/**
 * `pnpm bench:api`: what the service costs above its engine. The same requests go, in turns, to the API and
 * to a bare server that runs the same SQL (bare-server.ts). What counts are the ratios of one run, and of
 * them the CPU time a request, which a busy machine hardly moves.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  ApiProcess,
  newOrganization,
  openOwner,
  resetDatabase,
  root,
  startStack,
  withDatabase,
} from '@reelkeep/testkit'
import { cpuSecondsOf, cpuSecondsOfChildren, postmasterOf } from './cpu-time.ts'
import { type Load, sendLoad } from './load.ts'
import { seedFolders } from './seed-folders.ts'
import { median, printTable } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    folders: { type: 'string', default: '10000' },
  },
})
const BARE_PORT = 8497
const CONNECTIONS = 32

type Method = Load['method']
type Side = { readonly pid: number; readonly load: (method: Method) => Load }
type Round = {
  readonly perSecond: number
  readonly p99Ms: number
  readonly serverMicroseconds: number
  readonly postgresMicroseconds: number
  readonly cpuMicroseconds: number
}

const env = withDatabase(await startStack('postgres'), 'bench_api')
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
const bare = spawn(
  process.execPath,
  [
    join(root, 'tests/bench/bare-server.ts'),
    env.DATABASE_SUPERUSER_URL,
    String(BARE_PORT),
    organizationId,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
await once(bare.stdout, 'data')

const load =
  (url: string) =>
  (method: Method): Load => ({
    method,
    url,
    headers: { Authorization: `token ${token}`, 'Content-Type': 'application/json' },
    seconds: Number(values.seconds),
    connections: CONNECTIONS,
  })
const sides = {
  bare: { pid: bare.pid ?? 0, load: load(`http://127.0.0.1:${BARE_PORT}/`) },
  api: {
    pid: api.child.pid ?? 0,
    load: load(`${api.baseUrl}/api/v1/${organizationId}/assets/folders/`),
  },
}

async function measure(side: Side, method: Method): Promise<Round> {
  const before = { server: cpuSecondsOf(side.pid), postgres: cpuSecondsOfChildren(postmaster) }
  const { requests, perSecond, p99Ms } = await sendLoad(side.load(method))
  const perRequest = (seconds: number) => (seconds * 1e6) / requests
  const serverMicroseconds = perRequest(cpuSecondsOf(side.pid) - before.server)
  const postgresMicroseconds = perRequest(cpuSecondsOfChildren(postmaster) - before.postgres)
  const cpuMicroseconds = serverMicroseconds + postgresMicroseconds
  return { perSecond, p99Ms, serverMicroseconds, postgresMicroseconds, cpuMicroseconds }
}

async function compare(method: Method) {
  const rounds = { bare: [] as Round[], api: [] as Round[] }
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const name of ['bare', 'api'] as const) {
      const result = await measure(sides[name], method)
      // The first round only warms up.
      if (round >= 0) rounds[name].push(result)
    }
  }
  const of = (name: 'bare' | 'api', figure: keyof Round) =>
    median(rounds[name].map((one) => one[figure]))
  const cpuOf = (name: 'bare' | 'api') =>
    `${Math.round(of(name, 'serverMicroseconds'))} + ${Math.round(of(name, 'postgresMicroseconds'))}`
  return {
    request: `${method} folders/`,
    'bare/s': Math.round(of('bare', 'perSecond')),
    'API/s': Math.round(of('api', 'perSecond')),
    'throughput ratio': (of('api', 'perSecond') / of('bare', 'perSecond')).toFixed(2),
    'bare p99 ms': of('bare', 'p99Ms').toFixed(1),
    'API p99 ms': of('api', 'p99Ms').toFixed(1),
    'bare CPU µs (server + Postgres)': cpuOf('bare'),
    'API CPU µs (server + Postgres)': cpuOf('api'),
    'CPU ratio (bare/API)': (of('bare', 'cpuMicroseconds') / of('api', 'cpuMicroseconds')).toFixed(
      2,
    ),
  }
}

try {
  printTable([await compare('GET'), await compare('POST')])
  process.stdout.write(
    `\nCPU is the server's and Postgres' together. Goals: 0.80 of bare for GET, 0.85 for POST; ` +
      `${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
  )
} finally {
  bare.kill()
}
