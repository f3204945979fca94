/** Runs the same load alternately on a bare server and on the API. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import pg from 'pg'
import { alternate } from './alternate.ts'
import type { openBenchService } from './bench-service.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from './cpu-time.ts'
import { type Load, sendLoad } from './load.ts'
import { median } from './table.ts'

type Side = { readonly pid: number; readonly load: Load }

type Round = {
  readonly perSecond: number
  readonly p99Ms: number
  readonly serverMicroseconds: number
  readonly postgresMicroseconds: number
  readonly cpuMicroseconds: number
}

async function measure(side: Side, postmaster: number): Promise<Round> {
  const before = { server: cpuSecondsOf(side.pid), postgres: cpuSecondsOfChildren(postmaster) }
  const { requests, perSecond, p99Ms } = await sendLoad(side.load)
  const perRequest = (seconds: number) => (seconds * 1e6) / requests
  const serverMicroseconds = perRequest(cpuSecondsOf(side.pid) - before.server)
  const postgresMicroseconds = perRequest(cpuSecondsOfChildren(postmaster) - before.postgres)
  const cpuMicroseconds = serverMicroseconds + postgresMicroseconds
  return { perSecond, p99Ms, serverMicroseconds, postgresMicroseconds, cpuMicroseconds }
}

type Comparison = {
  readonly service: Awaited<ReturnType<typeof openBenchService>>
  readonly bare: { readonly pid: number; readonly port: number }
  /** Method and path, such as "GET folders/"; the path is relative to `assets/`. */
  readonly request: `${Load['method']} ${string}`
  readonly body: object
  readonly connections: number
  readonly rounds: string
  readonly seconds: string
}

/** Compares both servers. Returns a row of the table with their medians, and the ratio of their CPU times. */
export async function compare({ service, bare, request, rounds, seconds, ...more }: Comparison) {
  const [method, path] = request.split(' ') as [Load['method'], string]
  const load = (url: string): Load => ({
    ...{ method, url, headers: service.headers, seconds: Number(seconds), ...more },
  })
  const sides = {
    bare: { pid: bare.pid, load: load(`http://127.0.0.1:${bare.port}/`) },
    api: { pid: service.pid, load: load(`${service.assetsUrl}/${path}`) },
  }
  for (const { load } of Object.values(sides)) await sendLoad({ ...load, seconds: 1 })
  await analyze(service.env.DATABASE_SUPERUSER_URL)
  const results = await alternate(['bare', 'api'], Number(rounds), (name) => measure(sides[name], service.postmaster))
  const of = (name: keyof typeof sides, figure: keyof Round) => median(results[name].map((one) => one[figure]))
  const cpuOf = (name: keyof typeof sides) =>
    `${Math.round(of(name, 'serverMicroseconds'))} + ${Math.round(of(name, 'postgresMicroseconds'))}`
  const cpuRatio = of('bare', 'cpuMicroseconds') / of('api', 'cpuMicroseconds')
  const row = {
    request,
    'bare/s': Math.round(of('bare', 'perSecond')),
    'API/s': Math.round(of('api', 'perSecond')),
    'throughput ratio': (of('api', 'perSecond') / of('bare', 'perSecond')).toFixed(2),
    'bare p99 ms': of('bare', 'p99Ms').toFixed(1),
    'API p99 ms': of('api', 'p99Ms').toFixed(1),
    'bare CPU µs (server + Postgres)': cpuOf('bare'),
    'API CPU µs (server + Postgres)': cpuOf('api'),
    'CPU ratio (bare/API)': cpuRatio.toFixed(2),
  }
  return { row, cpuRatio }
}

/**
 * Updates the statistics of Postgres. Statements that were planned for empty tables may use any index, and are planned
 * again after this; otherwise that happens at a random moment within the first minute.
 */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('analyze')
  await client.end()
}

/** Starts a program of the folder `baselines`. Resolves when it has printed something, for example that it listens. */
export async function startBareServer(
  file: string,
  args: readonly string[],
): Promise<Disposable & { readonly pid: number }> {
  // The kernel kills the program when this process ends, so a failing benchmark leaves nothing behind.
  const bound = ['--pdeathsig', 'KILL', process.execPath, join(root, 'tools/bench/baselines', file), ...args]
  const child = spawn('setpriv', bound, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill() }
}
