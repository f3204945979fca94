/**
 * `pnpm bench hostile`: ten organizations send the costliest requests at their rate limit to one API process. Measures
 * `/livez` and `GET folders/` of another organization, quiet and under attack.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ApiProcess, newCaller, openSession, resetDatabase, root, startStack, withDatabase } from '@reelkeep/testkit'
import { cpuSecondsOf } from '../support/cpu-time.ts'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const ORGANIZATIONS = 10
const PAUSE_MS = 10
/** The 99th percentile under attack is at most this, or three times the quiet one. */
const GOAL_MS = 100
const GOAL_RATIO = 3

const env = withDatabase(await startStack(), 'bench_hostile')
await resetDatabase(env)
await using api = await ApiProcess.start({ RATE_LIMIT_PER_MINUTE: '6000' }, env)
const victim = await newCaller(api.send, env)
const attackers = await Promise.all(
  Array.from({ length: ORGANIZATIONS }, async () => {
    const caller = await newCaller(api.send, env)
    const { asset } = await openSession(caller)
    return { id: caller.organizationId, token: caller.token, assetId: asset.id }
  }),
)
for (let number = 0; number < 20; number++) await victim.post('assets/folders/', { title: `Lecture ${number}` })

const probes = {
  'GET /livez': { url: `${api.baseUrl}/livez`, headers: {} },
  'GET folders/': {
    url: `${api.baseUrl}/api/v1/${victim.organizationId}/assets/folders/`,
    headers: { authorization: `token ${victim.token}` },
  },
}

async function timed({ url, headers }: { url: string; headers: Record<string, string> }): Promise<number> {
  const startMs = performance.now()
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}`)
  return performance.now() - startMs
}

type Figures = Record<keyof typeof probes, { readonly p50: number; readonly p99: number; readonly max: number }>

async function measure(seconds: number): Promise<Figures> {
  const times = { 'GET /livez': [] as number[], 'GET folders/': [] as number[] }
  const endMs = performance.now() + seconds * 1000
  while (performance.now() < endMs) {
    times['GET /livez'].push(await timed(probes['GET /livez']))
    times['GET folders/'].push(await timed(probes['GET folders/']))
    await sleep(PAUSE_MS)
  }
  return { 'GET /livez': figuresOf(times['GET /livez']), 'GET folders/': figuresOf(times['GET folders/']) }
}

function figuresOf(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

async function underAttack(seconds: number): Promise<{ figures: Figures; statuses: string }> {
  const program = join(root, 'tools/bench/hostile/attackers.ts')
  // The kernel kills the program when this process ends.
  const bound = ['--pdeathsig', 'KILL', process.execPath, program, api.baseUrl, JSON.stringify(attackers)]
  const child = spawn('setpriv', bound, { stdio: ['ignore', 'pipe', 'inherit'] })
  let statuses = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    statuses += text
  })
  await once(child.stdout, 'data')
  const figures = await measure(seconds)
  child.kill('SIGTERM')
  await once(child, 'close')
  return { figures, statuses: statuses.replace('started\n', '') }
}

await measure(5)
const quiet = await measure(Number(values.seconds))
const cpuBefore = cpuSecondsOf(api.child.pid ?? 0)
const { figures, statuses } = await underAttack(Number(values.seconds))
const cpuSeconds = cpuSecondsOf(api.child.pid ?? 0) - cpuBefore

const names = Object.keys(probes) as (keyof typeof probes)[]
const ms = (value: number) => value.toFixed(1)
printTable(
  names.map((name) => ({
    request: name,
    'quiet p50 ms': ms(quiet[name].p50),
    'quiet p99 ms': ms(quiet[name].p99),
    'attack p50 ms': ms(figures[name].p50),
    'attack p99 ms': ms(figures[name].p99),
    'attack max ms': ms(figures[name].max),
  })),
)
process.stdout.write(
  `\nCPU of the API under attack: ${((100 * cpuSeconds) / Number(values.seconds)).toFixed(0)} % of a core. ` +
    `Load of the machine: ${loadavg().map(ms).join(' ')}.\nResponses to the attackers:\n${statuses}`,
)
checkGoals(
  names.map((name) => ({
    ...{ name: `the p99 of ${name} under attack in ms`, value: figures[name].p99 },
    max: Math.max(GOAL_MS, GOAL_RATIO * quiet[name].p99),
  })),
)
