/**
 * `pnpm bench search`: measures searches in an organization with a million moments beside a thousand small ones, with the
 * application's own database role and row-level security; small organizations alone and beside the others; searches by
 * meaning among 50,000 moments; and the time until a change of a subtitle or chapter is found, over HTTP.
 *
 * The goals of the searches are for the CPU time of Postgres, which is their duration on a machine without other load: a
 * search uses one core, and the rows are in memory. The first run seeds the database, which takes about five minutes;
 * later runs reuse it. `--runs 40` repeats each search, and `--changes 200` are made; `--only
 * lexical,small,semantic,changes` measures a part.
 */
import { parseArgs } from 'node:util'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { searchAssets } from '@reelkeep/server/modules/search/search.ts'
import { Meanings } from '@reelkeep/server/modules/search/semantic/meanings.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { EmbeddingsServer } from '@reelkeep/server/platform/models/embeddings-server.ts'
import { type StackEnv, Superuser, startStack, withDatabase } from '@reelkeep/testkit'
import { cpuMillisecondsOf } from '../support/cpu-time.ts'
import { checkGoals, type Goal } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'
import { delaysOfChanges } from './change-delays.ts'
import { lexicalSearches, type MeasuredSearch, semanticSearches, smallSearches } from './measured-searches.ts'
import {
  LARGE,
  LARGE_MOMENTS,
  MEANING,
  MEANING_MOMENTS,
  MODEL_NAME,
  seedOnce,
  smallOrganization,
} from './seed-search.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '40' },
    changes: { type: 'string', default: '200' },
    only: { type: 'string', default: 'lexical,small,semantic,changes' },
    /** Seeds and ends. */
    seed: { type: 'boolean', default: false },
  },
})
const RUNS = Number(values.runs)
const parts = values.only.split(',')
const SMALL_ORGANIZATIONS = 1000
const LEXICAL_MS_MAX = 100
const SEMANTIC_MS_MAX = 400
const SMALL_RATIO_MAX = 1.1
const CHANGE_MS_MAX = 5000
const DIMENSIONS = 512

const openApplication = (env: StackEnv) =>
  new Database({ url: env.DATABASE_URL, connectionsMax: 2, statementTimeoutSeconds: 60 }, () => {})

const stack = await startStack()
const beside = withDatabase(stack, 'bench_search')
const alone = withDatabase(stack, 'bench_search_alone')
await seedOnce(beside, { small: SMALL_ORGANIZATIONS, isLarge: true })
await seedOnce(alone, { small: 1, isLarge: false })
if (values.seed) process.exit()

await using application = openApplication(beside)
await using applicationAlone = openApplication(alone)

/** Returns random vectors at once, so that only Postgres and this process are measured. */
class RandomVectors extends EmbeddingsServer {
  override async embed() {
    return [Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5)]
  }
}

const randomVectors = new RandomVectors({ url: '', model: MODEL_NAME })
const meanings = new Meanings(randomVectors, { warn: () => {} })

const PAGE = { limit: 20, position: undefined }

/** Milliseconds of one search, of everything that the API does for it in the database. */
async function timeOf(search: MeasuredSearch, database: Database, organization: string) {
  const { limits, text, texts = ['titles', 'chapters', 'transcript'], folder, tags = [], mode } = search
  const db = database.forRequest(organization as OrganizationId, { limits })
  const input = { text, texts, folder, isRecursive: true, tags, mode: mode ?? ('lexical' as const), meanings }
  const start = performance.now()
  const { count } = await searchAssets(db, input, PAGE)
  return { ms: performance.now() - start, count }
}

/** Process ids of the connections of the application. */
async function backendsOf(env: StackEnv): Promise<number[]> {
  await using superuser = await Superuser.open(env)
  const rows = await superuser.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and usename = 'reelkeep_api'`,
  )
  return rows.map(({ pid }) => pid)
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN

/** NaN if a connection has ended. */
function cpuOf(backends: readonly number[]): number {
  try {
    return backends.reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0)
  } catch {
    return Number.NaN
  }
}

/** The searches take turns, so that other load on the machine affects all of them. */
async function measure(searches: readonly MeasuredSearch[], organization: string) {
  // Opens the connections and fills caches.
  for (const search of searches) await timeOf(search, application, organization)
  const runs = searches.map((): { ms: number; cpu: number; count: number | null }[] => [])
  for (let run = 0; run < RUNS; run++) {
    for (const [index, search] of searches.entries()) {
      const backends = await backendsOf(beside)
      const before = cpuOf(backends)
      const time = await timeOf(search, application, organization)
      const cpu = cpuOf(backends) - before
      // The connection was replaced by another one.
      if (!Number.isNaN(cpu)) runs[index]?.push({ ...time, cpu })
    }
  }
  return searches.map(({ name }, index) => {
    const ofSearch = runs[index] ?? []
    const sorted = (read: (run: (typeof ofSearch)[number]) => number) => ofSearch.map(read).toSorted((a, b) => a - b)
    const p95 = percentile(
      sorted((run) => run.cpu),
      0.95,
    )
    return { name, count: ofSearch.at(-1)?.count ?? null, ms: median(sorted(({ ms }) => ms)), p95 }
  })
}

const goals: Goal[] = []

async function report(title: string, searches: readonly MeasuredSearch[], more: { organization: string; max: number }) {
  const results = await measure(searches, more.organization)
  process.stdout.write(`\n${title}, goal p95 ${more.max} CPU ms\n\n`)
  printTable(
    results.map(({ name, count, ms, p95 }) => ({
      search: name,
      videos: count ?? 'many',
      'CPU ms of Postgres, p95': p95.toFixed(1),
      'ms, median, with the load of the machine': ms.toFixed(1),
    })),
  )
  goals.push(...results.map(({ name, p95 }) => ({ name: `p95 of ${name}`, value: p95, max: more.max })))
}

/** Alternates between both databases, so that other load on the machine affects both. */
async function smallRatio(): Promise<void> {
  const times = { alone: [] as number[], beside: [] as number[] }
  for (let run = -1; run < RUNS * 5; run++) {
    for (const search of smallSearches) {
      const one = await timeOf(search, applicationAlone, smallOrganization(1))
      const other = await timeOf(search, application, smallOrganization(1))
      if (run < 0) continue
      times.alone.push(one.ms)
      times.beside.push(other.ms)
    }
  }
  const ratio = median(times.beside) / median(times.alone)
  goals.push({ name: 'time of a small organization beside the others', value: ratio, max: SMALL_RATIO_MAX })
  process.stdout.write(
    `\nA search in a small organization takes ${median(times.alone).toFixed(2)} ms alone in the database and ` +
      `${median(times.beside).toFixed(2)} ms beside the others: ×${ratio.toFixed(3)} (goal: at most ${SMALL_RATIO_MAX}).\n`,
  )
}

const inWords = (count: number) => count.toLocaleString('en')
if (parts.includes('lexical')) {
  const title = `Words, among ${inWords(LARGE_MOMENTS)} moments beside ${inWords(SMALL_ORGANIZATIONS)} organizations`
  await report(title, lexicalSearches, { organization: LARGE, max: LEXICAL_MS_MAX })
}
if (parts.includes('small')) await smallRatio()
if (parts.includes('semantic')) {
  const title = `Meaning, among ${inWords(MEANING_MOMENTS)} moments`
  await report(title, semanticSearches, { organization: MEANING, max: SEMANTIC_MS_MAX })
}
if (parts.includes('changes')) {
  const delays = (await delaysOfChanges(beside, Number(values.changes))).toSorted((one, other) => one - other)
  const p99 = percentile(delays, 0.99)
  goals.push({ name: 'p99 ms until a change is found', value: p99, max: CHANGE_MS_MAX })
  process.stdout.write(
    `\n${delays.length} changes of subtitles and chapters: found after ${median(delays).toFixed(0)} ms (median), ` +
      `${p99.toFixed(0)} ms (p99, goal: at most ${CHANGE_MS_MAX}), from the start of the request.\n`,
  )
}
checkGoals(goals)
