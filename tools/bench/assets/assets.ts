/**
 * `pnpm bench assets`: measures the duration of asset lists in organizations with ten thousand to ten million assets,
 * with the application's own database role and row-level security. The first run seeds the database, which takes about
 * half an hour for ten million; later runs reuse it. `--sizes 10000,1000000` measures other sizes, and `--seed` only
 * seeds. Goals are checked only at ten million.
 */
import { parseArgs } from 'node:util'
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
import { checkGoals } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'
import { measured } from './asset-lists.ts'
import { seedOnce } from './seed-assets.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,1000000,10000000' },
    runs: { type: 'string', default: '15' },
    seed: { type: 'boolean', default: false },
  },
})
const RUNS = Number(values.runs)
const sizes = values.sizes.split(',').map(Number)
const FULL_SIZE = 10_000_000
const SMALL = 10_000
const LIST_MS_MAX = 50
const GROWTH_EXPONENT_MAX = 0.05
const NEIGHBOR_RATIO_MAX = 1.2
/** Page 100,000 with the default of 50 assets. */
const ROWS_BEFORE_DEEP_PAGE = 5_000_000

const organizationOf = (size: number) => `bench${size / 1000}k` as OrganizationId
const openApplication = (env: StackEnv) =>
  new Database({ url: env.DATABASE_URL, connectionsMax: 2, statementTimeoutSeconds: 60 }, () => {})

const beside = withDatabase(await startStack('postgres'), 'bench_assets')
const alone = withDatabase(beside, 'bench_assets_alone')
for (const size of new Set([SMALL, ...sizes])) await seedOnce(beside, organizationOf(size), size)
await seedOnce(alone, organizationOf(SMALL), SMALL)
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

async function timesOf(
  { options, isDeep }: Measured,
  database: Database,
  { size, runs }: Record<'size' | 'runs', number>,
) {
  const db = database.forRequest(organizationOf(size))
  const position = isDeep ? await deepPosition(db, options.order ?? newestFirst, size) : undefined
  const times: number[] = []
  let count: number | null = 0
  for (let run = 0; run <= runs; run++) {
    const start = performance.now()
    count = (await pageAt(db, options, position)).count
    if (run > 0) times.push(performance.now() - start)
  }
  return { times, count }
}

/**
 * The growth from one of the sizes to the largest. Counts stop at 10,000, so in the smallest organization many lists
 * count fewer matches than in the larger ones; from the second largest to the largest, the same work is compared.
 */
function growthExponent(medians: readonly number[], from: number): number {
  const ratio = (values: readonly number[]) => Math.log((values.at(-1) ?? 1) / (values.at(from) ?? 1))
  return ratio(medians) / ratio(sizes)
}

async function growthOf(list: Measured) {
  const row: Record<string, string | number> = { list: list.name }
  const medians: number[] = []
  for (const size of sizes) {
    const { times, count } = await timesOf(list, application, { size, runs: RUNS })
    medians.push(median(times))
    row[`${size.toLocaleString('en')}: ms (count)`] = `${median(times).toFixed(1)} (${count ?? '> 10,000'})`
  }
  const last = medians.at(-1) ?? 0
  const exponent = growthExponent(medians, -2)
  row['growth exponent'] = exponent.toFixed(3)
  row['from the smallest'] = growthExponent(medians, 0).toFixed(3)
  process.stderr.write(`measured: ${list.name}\n`)
  return { row, last, exponent, name: list.name }
}

/**
 * Measures lists of a small organization, alone in a database and beside large ones. Alternates between both
 * databases, so that other load on the machine affects both.
 */
async function neighborRatio(): Promise<number> {
  const times = { alone: [] as number[], beside: [] as number[] }
  for (let round = 0; round < RUNS; round++) {
    for (const list of measured.filter(({ isDeep }) => !isDeep)) {
      times.alone.push(...(await timesOf(list, applicationAlone, { size: SMALL, runs: 1 })).times)
      times.beside.push(...(await timesOf(list, application, { size: SMALL, runs: 1 })).times)
    }
  }
  return median(times.beside) / median(times.alone)
}

const results: Awaited<ReturnType<typeof growthOf>>[] = []
for (const list of measured) results.push(await growthOf(list))
printTable(results.map(({ row }) => row))
const ratio = await neighborRatio()
process.stdout.write(
  `\nMedians of ${RUNS} runs: page and count. Lists of an organization with 10,000 assets take ${ratio.toFixed(2)} ` +
    `times as long beside the others as alone.\n`,
)
if (sizes.at(-1) === FULL_SIZE)
  checkGoals([
    { name: 'time beside large organizations', value: ratio, max: NEIGHBOR_RATIO_MAX },
    ...results.flatMap(({ name, last, exponent }) => [
      { name: `ms of ${name}`, value: last, max: LIST_MS_MAX },
      { name: `growth exponent of ${name}`, value: exponent, max: GROWTH_EXPONENT_MAX },
    ]),
  ])
