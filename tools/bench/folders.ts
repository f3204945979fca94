/**
 * `pnpm bench folders`: measures the duration of lists and searches in organizations with ten thousand, a million and
 * ten million folders, with the application's own database role and row-level security. The first run seeds the
 * database, which takes about ten minutes; later runs reuse it.
 */
import { parseArgs } from 'node:util'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type FolderName, listFolders, readTree, searchFolders } from '@reelkeep/server/modules/folders/folders.ts'
import { Database, type OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { type StackEnv, startStack, withDatabase } from '@reelkeep/testkit'
import { commonWord, rareWord } from './folders/folder-titles.ts'
import { keyAtDepth, seedOnce } from './folders/folders-at-size.ts'
import { median, printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    largest: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '15' },
  },
})
const RUNS = Number(values.runs)
const sizes = [10_000, 1_000_000, 10_000_000].filter((size) => size <= Number(values.largest))
const organizationOf = (size: number) => (size < 1e6 ? `bench${size / 1e3}k` : `bench${size / 1e6}m`) as OrganizationId
const PAGE = { limit: 50, position: undefined }

type Page = { readonly count: number; readonly rows: readonly FolderName[] }
type Work = (db: OrganizationDb, size: number) => Promise<Page>

const search =
  (text: string): Work =>
  (db) =>
    searchFolders(db, { text, location: 'anywhere' }, PAGE)

/** The measured queries, some with a goal in milliseconds for ten million folders. */
const works: readonly { name: string; goalMs?: number; work: Work }[] = [
  { name: 'first page', goalMs: 50, work: (db) => listFolders(db, 'anywhere', PAGE) },
  { name: 'page 100,000 (or the middle)', goalMs: 50, work: pageInTheMiddle },
  { name: 'folders at the root', work: (db) => listFolders(db, 'root', PAGE) },
  { name: 'tree, three levels', work: treeOf },
  { name: `q=${rareWord}`, goalMs: 50, work: search(rareWord) },
  { name: 'q=oslo review 000', goalMs: 50, work: search('oslo review 000') },
  { name: 'q=QQQ', goalMs: 50, work: search('QQQ') },
  { name: 'q=no such folder', goalMs: 50, work: search('no such folder') },
  { name: 'q=zürich key', work: search('zürich key') },
  { name: 'q=zq (two characters)', work: search('zq') },
  { name: `q=${commonWord} (every eighth)`, goalMs: 2000, work: search(commonWord) },
  { name: 'q=e (most of them)', work: search('e') },
]

async function treeOf(db: OrganizationDb): Promise<Page> {
  const rows = await readTree(db, undefined, 3)
  return { count: rows.length, rows }
}

const middles = new Map<number, readonly string[]>()

async function pageInTheMiddle(db: OrganizationDb, size: number): Promise<Page> {
  const key = middles.get(size) ?? []
  return listFolders(db, 'anywhere', { limit: 50, position: { direction: 'after', key } })
}

const openApplication = (env: StackEnv) =>
  new Database({ url: env.DATABASE_URL, connectionsMax: 2, statementTimeoutSeconds: 60 }, () => {})

const beside = withDatabase(await startStack('postgres'), 'bench_folders')
const alone = withDatabase(beside, 'bench_alone')
for (const size of sizes) await seedOnce(beside, organizationOf(size), size)
await seedOnce(alone, organizationOf(10_000), 10_000)
for (const size of sizes) {
  const depth = Math.min(size / 2, 100_000 * PAGE.limit)
  middles.set(size, await keyAtDepth(beside, organizationOf(size), depth))
}

await using application = openApplication(beside)
await using applicationAlone = openApplication(alone)

async function timesOf(work: Work, database: Database, size: number, runs: number) {
  const db = database.forOrganization(organizationOf(size))
  const times: number[] = []
  let page: Page = { count: 0, rows: [] }
  for (let run = 0; run <= runs; run++) {
    const start = performance.now()
    page = await work(db, size)
    if (run > 0) times.push(performance.now() - start)
  }
  return { times, count: page.count }
}

async function growthOf({ name, goalMs, work }: (typeof works)[number]) {
  const row: Record<string, string | number> = { work: name }
  const medians: number[] = []
  for (const size of sizes) {
    const { times, count } = await timesOf(work, application, size, RUNS)
    medians.push(median(times))
    row[`${size.toLocaleString('en')}: ms (count)`] = `${median(times).toFixed(1)} (${count})`
  }
  const [first = 1, last = 1] = [medians[0], medians.at(-1)]
  row['growth'] = `×${(last / first).toFixed(1)}`
  row['goal at the largest'] = goalMs === undefined ? '–' : `${goalMs} ms: ${last < goalMs ? 'met' : 'MISSED'}`
  return row
}

/**
 * Measures searches in a small organization, alone in a database and next to large ones. Alternates between both
 * databases, so that other load on the machine affects both.
 */
async function neighbourRatio() {
  const needles = [rareWord, 'oslo review 000', 'QQQ', 'zürich key', 'zq', commonWord, 'no such folder']
  const times = { alone: [] as number[], beside: [] as number[] }
  for (let round = 0; round < RUNS * 4; round++) {
    for (const needle of needles) {
      const work = search(needle)
      times.alone.push(...(await timesOf(work, applicationAlone, 10_000, 1)).times)
      times.beside.push(...(await timesOf(work, application, 10_000, 1)).times)
    }
  }
  return { alone: median(times.alone), beside: median(times.beside) }
}

const rows: Record<string, string | number>[] = []
for (const work of works) {
  rows.push(await growthOf(work))
  process.stderr.write(`measured: ${work.name}\n`)
}
printTable(rows)
const ratio = await neighbourRatio()
process.stdout.write(
  `\nMedians of ${RUNS} runs. A search in an organization of 10,000 folders takes ${ratio.alone.toFixed(2)} ms ` +
    `alone in the database and ${ratio.beside.toFixed(2)} ms next to the others: ` +
    `×${(ratio.beside / ratio.alone).toFixed(2)} (goal: at most 1.2).\n`,
)
