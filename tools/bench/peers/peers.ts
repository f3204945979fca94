/**
 * `pnpm bench peers`: operations per CPU second (server and Postgres) of the API, of a plain Express service
 * (baselines/plain-service.ts) and of supabase/storage, with the same rows on the same Postgres and Ceph.
 *
 *   --supabase FOLDER   built sources of supabase/storage (`npm ci && npm run build`); skipped without this option
 *   --sizes 1000,1000000, --rounds 7, --seconds 2 (per round), --operations TEXT (only those with this in their name)
 *
 * The first run seeds the databases, which takes a few minutes for a million rows. Every run works on copies of them.
 * Services do not do the same: reelkeep.ts, supabase.ts and baselines/plain-service.ts say what each of them does more
 * or less.
 */
import { parseArgs } from 'node:util'
import { startStack, withDatabase } from '@reelkeep/testkit'
import { alternate } from '../support/alternate.ts'
import { postmasterOf } from '../support/cpu-time.ts'
import { checkGoals, type Goal, ROUNDS_TO_CHECK } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'
import { cpuMicroseconds, type Probe, probe, type Round } from './measure.ts'
import { operations, type Peer } from './operations.ts'
import { seedPlain, startPlain } from './plain.ts'
import { samplesOf, seedReelkeep, startReelkeep } from './reelkeep.ts'
import { seedSupabase, startSupabase } from './supabase.ts'

const { values } = parseArgs({
  options: {
    supabase: { type: 'string' },
    sizes: { type: 'string', default: '1000,1000000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    operations: { type: 'string', default: '' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const OURS = 'Reelkeep'
const LARGE_SIZE = 1_000_000
const SUPABASE_RATIO_MIN = 5
const PLAIN_RATIO_MIN = 100
const names = Object.keys(operations).filter((name) => name.includes(values.operations))

if (values.supabase === undefined)
  process.stdout.write('supabase/storage is skipped: --supabase FOLDER names a folder with its built sources.\n\n')

const stack = await startStack()
const postmaster = await postmasterOf(withDatabase(stack, 'postgres').DATABASE_SUPERUSER_URL)

/** Seeds the databases of this size unless they exist, and starts all services. */
async function startPeers(size: number): Promise<Peer[]> {
  const seeded = await seedReelkeep(stack, size)
  const rows = { size, samples: await samplesOf(seeded, size) }
  const plain = await seedPlain(seeded, size)
  const { supabase: folder } = values
  const supabase = folder === undefined ? undefined : { folder, env: await seedSupabase({ env: seeded, folder }, size) }
  const peers = [await startReelkeep(seeded, rows), await startPlain(plain, rows)]
  return supabase ? [...peers, await startSupabase(supabase, rows)] : peers
}

type Result = {
  readonly size: number
  readonly name: string
  /** The rounds of each service, by its name. */
  readonly rounds: Readonly<Record<string, readonly Round[]>>
}

/** Measures one operation of all services, alternately. */
async function measure(peers: readonly Peer[], size: number, name: string): Promise<Result> {
  const { isList = false } = operations[name] ?? {}
  await using opened = new AsyncDisposableStack()
  const probes = new Map<string, Probe>()
  for (const peer of peers) {
    const requestOf = peer.requests[name]
    if (requestOf) probes.set(peer.name, opened.use(await probe({ peer, postmaster, requestOf, isList })))
  }
  const counts = new Set([...probes.values()].map(({ rows }) => rows))
  if (counts.size > 1) throw new Error(`${name}: the services return ${[...counts].join(', ')} rows`)
  const rounds = await alternate([...probes.keys()], Number(values.rounds), (peer) =>
    required(probes.get(peer)).measure(Number(values.seconds)),
  )
  process.stderr.write(`measured: ${name} of ${size}\n`)
  return { size, name, rounds }
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The service was not measured.')
  return value
}

/** Operations per CPU second, and the CPU time of one of them. */
function cellOf(rounds: readonly Round[]): string {
  const of = (figure: (round: Round) => number) => median(rounds.map(figure))
  const [server, postgres] = [of((round) => round.serverMicroseconds), of((round) => round.postgresMicroseconds)]
  return `${Number((1e6 / of(cpuMicroseconds)).toPrecision(3))} (${Math.round(server)} + ${Math.round(postgres)})`
}

/** The median of the ratios of the CPU times, each of two measurements in a row; undefined for a skipped service. */
function ratioTo(peer: string, { rounds }: Result): number | undefined {
  const ours = required(rounds[OURS])
  return (
    rounds[peer] &&
    median(rounds[peer].map((one, index) => cpuMicroseconds(one) / cpuMicroseconds(required(ours[index]))))
  )
}

function rowOf(result: Result) {
  const { size, name, rounds } = result
  const others = Object.entries(rounds).filter(([peer]) => peer !== OURS)
  return {
    rows: size.toLocaleString('en'),
    operation: operations[name]?.title ?? name,
    [OURS]: cellOf(required(rounds[OURS])),
    ...Object.fromEntries(others.map(([peer, ofPeer]) => [peer, cellOf(ofPeer)])),
    ...Object.fromEntries(others.map(([peer]) => [`ratio to ${peer}`, ratioTo(peer, result)?.toFixed(1) ?? ''])),
  }
}

function goalsOf(result: Result): Goal[] {
  const what = `${result.name} at ${result.size.toLocaleString('en')}`
  const [supabase, plain] = [ratioTo('supabase/storage', result), ratioTo('plain', result)]
  const isGrowing = result.size >= LARGE_SIZE && operations[result.name]?.growsInPlain
  return [
    ...(supabase === undefined
      ? []
      : [{ name: `the ratio to supabase/storage of ${what}`, value: supabase, min: SUPABASE_RATIO_MIN }]),
    ...(plain !== undefined && isGrowing
      ? [{ name: `the ratio to the plain service of ${what}`, value: plain, min: PLAIN_RATIO_MIN }]
      : []),
  ]
}

const results: Result[] = []
for (const size of sizes) {
  await using opened = new AsyncDisposableStack()
  const peers = await startPeers(size)
  for (const peer of peers) opened.use(peer)
  for (const name of names) results.push(await measure(peers, size, name))
}
printTable(results.map(rowOf))
process.stdout.write(
  `\nOperations per CPU second (CPU µs of the server + Postgres); medians of ${values.rounds} rounds of ${values.seconds} s. ` +
    `Goals: ${SUPABASE_RATIO_MIN} times supabase/storage, ${PLAIN_RATIO_MIN} times the plain service for searches and ` +
    `deep pages among ${LARGE_SIZE.toLocaleString('en')} rows.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK) checkGoals(results.flatMap(goalsOf))
