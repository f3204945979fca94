/** Runs the same load alternately on another server and on the API. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import pg from 'pg'
import { alternate } from './alternate.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from './cpu-time.ts'
import { type Load, sendLoad } from './load.ts'
import { median } from './table.ts'

type Side = { readonly pid: number; readonly postmaster: number; readonly load: Load }

type Round = {
  readonly perSecond: number
  readonly p99Ms: number
  readonly serverMicroseconds: number
  readonly postgresMicroseconds: number
  readonly cpuMicroseconds: number
}

async function measure({ pid, postmaster, load }: Side): Promise<Round> {
  const before = { server: cpuSecondsOf(pid), postgres: cpuSecondsOfChildren(postmaster) }
  const { requests, perSecond, p99Ms } = await sendLoad(load)
  const perRequest = (seconds: number) => (seconds * 1e6) / requests
  const serverMicroseconds = perRequest(cpuSecondsOf(pid) - before.server)
  const postgresMicroseconds = perRequest(cpuSecondsOfChildren(postmaster) - before.postgres)
  const cpuMicroseconds = serverMicroseconds + postgresMicroseconds
  return { perSecond, p99Ms, serverMicroseconds, postgresMicroseconds, cpuMicroseconds }
}

/** A server under load, and the Postgres server that only it uses at that time. */
export type Server = {
  readonly pid: number
  readonly postmaster: number
  readonly assetsUrl: string
  readonly headers: Record<string, string>
  readonly databaseUrl: string
}

type Comparison = {
  readonly api: Server
  /** A bare server, or the API of another version. */
  readonly other: Server
  /** Its name in the table. */
  readonly otherName: string
  /** Method and path, such as "GET folders/"; the path is relative to `assets/`. */
  readonly request: `${Load['method']} ${string}`
  readonly body: object
  readonly connections: number
  readonly rounds: string
  readonly seconds: string
}

/**
 * Compares both servers. Returns a row of the table with their medians, and the median of the ratios of their CPU
 * times. Each ratio is of two measurements in a row, because the speed of a shared machine changes from one minute to
 * the next.
 */
export async function compare({ api, other, otherName, request, rounds, seconds, ...more }: Comparison) {
  const [method, path] = request.split(' ') as [Load['method'], string]
  const sideOf = ({ assetsUrl, headers, ...server }: Server) => ({
    ...server,
    load: { method, url: `${assetsUrl}/${path}`, headers, seconds: Number(seconds), ...more },
  })
  const sides = { other: sideOf(other), api: sideOf(api) }
  for (const { load, databaseUrl } of Object.values(sides)) {
    await sendLoad({ ...load, seconds: 1 })
    await analyze(databaseUrl)
  }
  const results = await alternate(['other', 'api'], Number(rounds), (name) => measure(sides[name]))
  const of = (name: keyof typeof sides, figure: keyof Round) => median(results[name].map((one) => one[figure]))
  const cpuOf = (name: keyof typeof sides) =>
    `${Math.round(of(name, 'serverMicroseconds'))} + ${Math.round(of(name, 'postgresMicroseconds'))}`
  const cpuRatio = median(
    results.other.map((one, round) => one.cpuMicroseconds / (results.api[round]?.cpuMicroseconds ?? Number.NaN)),
  )
  const row = {
    request,
    [`${otherName}/s`]: Math.round(of('other', 'perSecond')),
    'API/s': Math.round(of('api', 'perSecond')),
    'throughput ratio': (of('api', 'perSecond') / of('other', 'perSecond')).toFixed(2),
    [`${otherName} p99 ms`]: of('other', 'p99Ms').toFixed(1),
    'API p99 ms': of('api', 'p99Ms').toFixed(1),
    [`${otherName} CPU µs (server + Postgres)`]: cpuOf('other'),
    'API CPU µs (server + Postgres)': cpuOf('api'),
    [`CPU ratio (${otherName}/API)`]: cpuRatio.toFixed(3),
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
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with code ${code}.`)))
  await Promise.race([once(child.stdout, 'data'), ended])
  ended.catch(() => {})
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill() }
}
