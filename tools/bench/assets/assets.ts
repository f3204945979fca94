/**
 * `pnpm bench assets`: measures the duration of asset lists in organizations with ten thousand to ten million assets,
 * with the application's own database role and row-level security. The first run seeds the database, which takes about
 * half an hour for ten million; later runs reuse it. `--sizes 10000,1000000` measures other sizes, `--lists folder` only
 * lists with this in their name, and `--seed` only seeds. Goals are checked only at ten million.
 */
import { parseArgs } from 'node:util'
import { COUNT_MAX } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { findAsset } from '@reelkeep/server/modules/assets/assets.ts'
import { type AssetListOptions, listAssets } from '@reelkeep/server/modules/assets/list/asset-list.ts'
import {
  type AssetOrder,
  listOrderOf,
  newestFirst,
  type SortField,
  sortKeyIn,
} from '@reelkeep/server/modules/assets/list/asset-order.ts'
import { Database, type OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import type { Position } from '@reelkeep/server/platform/db/paging/keyset.ts'
import { type StackEnv, Superuser, startStack, withDatabase } from '@reelkeep/testkit'
import { cpuMillisecondsOf } from '../support/cpu-time.ts'
import { checkGoals } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'
import { measured as allLists } from './asset-lists.ts'
import { seedOnce } from './seed-assets.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,1000000,10000000' },
    runs: { type: 'string', default: '15' },
    seed: { type: 'boolean', default: false },
    lists: { type: 'string', default: '' },
  },
})
const measured = allLists.filter(({ name }) => name.includes(values.lists))
const RUNS = Number(values.runs)
const sizes = values.sizes.split(',').map(Number)
const FULL_SIZE = 10_000_000
const SMALL = 10_000
const LIST_MS_MAX = 50
const GROWTH_EXPONENT_MAX = 0.05
const NEIGHBOR_RATIO_MAX = 1.2
/** Page 100,000 with the default of 50 assets. */
const ROWS_BEFORE_DEEP_PAGE = 5_000_000
/** Sizes are compared if their numbers of counted matches differ by at most this part. */
const MATCHES_TOLERANCE = 0.05

const inWords = (size: number) => size.toLocaleString('en')
const organizationOf = (size: number) => `bench${size / 1000}k` as OrganizationId
const openApplication = (env: StackEnv) =>
  new Database({ url: env.DATABASE_URL, connectionsMax: 2, statementTimeoutSeconds: 60 }, () => {})

const beside = withDatabase(await startStack('postgres'), 'bench_assets')
const alone = withDatabase(beside, 'bench_assets_alone')
for (const size of new Set([SMALL, ...sizes]))
  await seedOnce(beside, { organization: organizationOf(size), count: size })
await seedOnce(alone, { organization: organizationOf(SMALL), count: SMALL })
if (values.seed) process.exit()

await using application = openApplication(beside)
await using applicationAlone = openApplication(alone)

const pageAt = (db: OrganizationDb, options: AssetListOptions, position: Position | undefined, limit = 50) =>
  listAssets(db, options, () => ({ limit, position }))

/** SQL of the orders, for the position of a deep page. The id is the last column of each. */
const sortColumns: Record<SortField, readonly string[]> = {
  creation: [],
  title: ['title collate natural_order'],
  update: ['updated_at'],
  duration: [`coalesce(duration_seconds, 'Infinity')`],
  bytes: ['coalesce(bytes, 9223372036854775807)'],
}

/** The position of page 100,000, or of the middle of a shorter list. */
async function deepPosition(db: OrganizationDb, order: AssetOrder, size: number): Promise<Position> {
  const rows = Math.min(ROWS_BEFORE_DEEP_PAGE, size / 2)
  await using superuser = await Superuser.open(beside)
  const columns = [...sortColumns[order.field], 'id'].map((column) => `${column} ${order.direction}`).join(', ')
  const [row] = await superuser.query<{ id: AssetId }>(
    `select id from assets where organization_id = $1 order by ${columns} offset $2 limit 1`,
    [db.organizationId, rows],
  )
  const asset = row && (await findAsset(db, row.id))
  if (!asset) throw new Error('The list is too short for a deep page.')
  return { direction: 'after', key: sortKeyIn(listOrderOf(order, {}))(asset) }
}

type Measured = (typeof measured)[number]
type Count = number | null

/** Reads the list once per call. Returns the milliseconds, those of CPU of Postgres, and the count. */
async function reader({ options, isDeep }: Measured, database: Database, size: number) {
  const db = database.forRequest(organizationOf(size))
  const position = isDeep ? await deepPosition(db, options.order ?? newestFirst, size) : undefined
  return async (backends: readonly number[] = []) => {
    const cpu = () => backends.reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0)
    const [start, cpuStart] = [performance.now(), cpu()]
    const { count } = await pageAt(db, options, position)
    return { ms: performance.now() - start, cpu: cpu() - cpuStart, count }
  }
}

/** Process ids of the connections of the application. */
async function backendsOf(env: StackEnv): Promise<number[]> {
  await using superuser = await Superuser.open(env)
  const rows = await superuser.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and usename = 'reelkeep_api'`,
    [],
  )
  return rows.map(({ pid }) => pid)
}

/** The medians of each size. The sizes take turns, so that other load on the machine affects all of them. */
async function mediansOf(list: Measured) {
  const readers = await Promise.all(sizes.map((size) => reader(list, application, size)))
  // Opens the connections and fills caches.
  for (const read of readers) await read()
  const backends = await backendsOf(beside)
  const runs = sizes.map((): Awaited<ReturnType<(typeof readers)[number]>>[] => [])
  for (let run = 0; run < RUNS; run++) {
    for (const [index, read] of readers.entries()) runs[index]?.push(await read(backends))
  }
  return runs.map((ofSize, index) => ({
    size: sizes[index] ?? 0,
    ms: median(ofSize.map(({ ms }) => ms)),
    cpu: median(ofSize.map(({ cpu }) => cpu)),
    count: ofSize.at(-1)?.count ?? null,
  }))
}

type Point = Awaited<ReturnType<typeof mediansOf>>[number]

/**
 * The slope of the CPU times over the sizes, both as logarithms (least squares). Counting a filtered list visits each
 * match, up to 10,001, so only sizes with about as many matches to count as the largest are compared.
 */
function growthExponent(points: readonly Point[]): number {
  const x = points.map(({ size }) => Math.log(size))
  const y = points.map(({ cpu }) => Math.log(cpu))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(x), mean(y)]
  const slope = (of: readonly number[], meanOf: number) =>
    x.reduce((sum, value, index) => sum + (value - meanX) * ((of[index] ?? 0) - meanOf), 0)
  return slope(y, meanY) / slope(x, meanX)
}

const counted = (count: Count) => Math.min(count ?? COUNT_MAX + 1, COUNT_MAX + 1)
const isFiltered = ({ options: { order: _, ...filter } }: Measured) => Object.keys(filter).length > 0

async function growthOf(list: Measured) {
  const points = await mediansOf(list)
  const matches = counted(points.at(-1)?.count ?? null)
  const isComparable = ({ count }: Point) =>
    !isFiltered(list) || Math.abs(counted(count) - matches) <= matches * MATCHES_TOLERANCE
  const compared = points.filter(isComparable)
  const exponent = compared.length > 1 ? growthExponent(compared) : undefined
  process.stderr.write(`measured: ${list.name}\n`)
  const row = {
    list: list.name,
    ...Object.fromEntries(
      points.map(({ size, ms, cpu, count }) => [
        `${inWords(size)}: ms, CPU ms (count)`,
        `${ms.toFixed(1)}, ${cpu.toFixed(1)} (${count ?? '> 10,000'})`,
      ]),
    ),
    'growth exponent': exponent?.toFixed(3) ?? 'not compared',
    from: compared.length > 1 ? inWords(compared[0]?.size ?? 0) : '',
  }
  return { row, points, exponent, name: list.name }
}

/**
 * Measures lists of a small organization, alone in a database and beside large ones. Alternates between both
 * databases, so that other load on the machine affects both.
 */
async function neighborRatio(): Promise<number> {
  const times = { alone: [] as number[], beside: [] as number[] }
  for (let round = 0; round < RUNS; round++) {
    for (const list of measured.filter(({ isDeep }) => !isDeep)) {
      const read = {
        alone: await reader(list, applicationAlone, SMALL),
        beside: await reader(list, application, SMALL),
      }
      for (const name of ['alone', 'beside'] as const) {
        await read[name]()
        times[name].push((await read[name]()).ms)
      }
    }
  }
  return median(times.beside) / median(times.alone)
}

const results: Awaited<ReturnType<typeof growthOf>>[] = []
for (const list of measured) results.push(await growthOf(list))
printTable(results.map(({ row }) => row))
const ratio = await neighborRatio()
process.stdout.write(`
Medians of ${RUNS} runs of page and count. The growth exponent is that of the CPU time of Postgres, which other load on
the machine affects less, over the sizes with as many matches to count as the largest (${MATCHES_TOLERANCE * 100} % more or fewer, at most
10,001), because counting visits each match. Lists without two such sizes are not compared. Lists of an organization
with 10,000 assets take ${ratio.toFixed(2)} times as long beside the others as alone.
`)
if (sizes.at(-1) === FULL_SIZE)
  checkGoals([
    { name: 'time beside large organizations', value: ratio, max: NEIGHBOR_RATIO_MAX },
    ...results.flatMap(({ name, points, exponent }) => [
      ...points.map(({ size, ms }) => ({ name: `ms of ${name} at ${inWords(size)}`, value: ms, max: LIST_MS_MAX })),
      ...(exponent === undefined
        ? []
        : [{ name: `growth exponent of ${name}`, value: exponent, max: GROWTH_EXPONENT_MAX }]),
    ]),
  ])
