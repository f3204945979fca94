/**
 * `pnpm bench dashboard`: the library of the dashboard with 100,000 assets in one folder and 10,000 folders: time until
 * its first view, tasks of the browser while it is scrolled from end to end and while the folders are opened, and memory.
 */
import { parseArgs } from 'node:util'
import { Superuser, startStack } from '@reelkeep/testkit'
import type { Page } from 'playwright-core'
import { openDashboardFixture } from '../../../tests/browser/dashboard/dashboard-fixture.ts'
import { memberCookies } from '../../../tests/browser/dashboard/page-states.ts'
import { LARGE_FOLDER, seedAssets } from '../assets/seed-assets.ts'
import { seedFolders } from '../folders/seed-folders.ts'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'
import { openLevels, scrollTree } from './folder-tree.ts'
import { firstView, memoryOf, quantile, tasksDuring } from './page-measures.ts'

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '100000' },
    folders: { type: 'string', default: '10000' },
    /** Number of views whose median is printed. */
    views: { type: 'string', default: '9' },
  },
})
const [ASSETS, FOLDERS, VIEWS] = [Number(values.assets), Number(values.folders), Number(values.views)]
const GOALS = { viewMs: 1000, slowViewMs: 2500, longestTaskMs: 100, p99TaskMs: 50, heapGrowthMb: 100 }
/** Rows of three levels of folders, with ten folders in each. */
const TREE_ROWS_MIN = 1110
const SLOWDOWN = 4
const OPTION = '[role=option]'

await startStack()
await using fixture = await openDashboardFixture('bench_dashboard')
const { env, origin, organizationId } = fixture
await seed()
const storageState = await memberCookies(fixture)
const url = `${origin}/o/${organizationId}/library?folder=${LARGE_FOLDER}`

const newPage = async () =>
  (await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).page

/** All assets in one folder. */
async function seed(): Promise<void> {
  await using superuser = await Superuser.open(env)
  await seedAssets(superuser, { organization: organizationId, count: ASSETS, isInOneFolder: true })
  await seedFolders(env.DATABASE_SUPERUSER_URL, { organization: organizationId, count: FOLDERS }, () => {})
  await superuser.query('vacuum (analyze) folders')
}

/** Each view is in a browser context of its own, so nothing is cached. The first one warms the server. */
async function medianView(slowdown: number): Promise<number> {
  const times: number[] = []
  for (let view = 0; view <= VIEWS; view++) {
    const page = await newPage()
    times.push(await firstView(page, url, OPTION, slowdown))
    await page.context().close()
  }
  return quantile(
    times.slice(1).sort((a, b) => a - b),
    0.5,
  )
}

const loaded = (page: Page) =>
  page.evaluate<number>(`Number(document.querySelector('${OPTION}')?.getAttribute('aria-setsize') ?? 0)`)

/** Scrolls by the wheel until the end of the list has not moved for several steps. */
async function scrollToEnd(page: Page): Promise<number> {
  await page.locator('main [role=listbox]').hover()
  let [position, still] = [-1, 0]
  while (still < STILL_STEPS) {
    await page.mouse.wheel(0, SCROLL_STEP)
    const { top, last } = await page.evaluate<{ top: number; last: number }>(SCROLL_STATE)
    still = top === position ? still + 1 : 0
    position = top
    reached = Math.max(reached, last)
    if (still > 0) await page.waitForTimeout(STEP_PAUSE_MS)
  }
  return reached
}
const SCROLL_STATE = `(() => {
  const list = document.querySelector('main [role=listbox]')
  const options = [...list.querySelectorAll('${OPTION}')].map((option) => Number(option.getAttribute('aria-posinset')))
  return { top: list.scrollTop, last: Math.max(0, ...options) }
})()`
const SCROLL_STEP = 2400
const STILL_STEPS = 40
const STEP_PAUSE_MS = 50
let reached = 0

const [viewMs, slowViewMs] = [await medianView(1), await medianView(SLOWDOWN)]
const page = await newPage()
await firstView(page, url, OPTION, 1)
const before = await memoryOf(page)
const scrolling = await tasksDuring(fixture.browser, page, async () => void (await scrollToEnd(page)))
const after = await memoryOf(page)
let openedRows = 0
const opening = await tasksDuring(fixture.browser, page, async () => {
  openedRows = await openLevels(page)
  await scrollTree(page)
})

printTable([
  { measure: 'first view, median', value: `${viewMs.toFixed(0)} ms`, goal: `${GOALS.viewMs} ms` },
  {
    measure: `first view, CPU ${SLOWDOWN} times slower`,
    value: `${slowViewMs.toFixed(0)} ms`,
    goal: `${GOALS.slowViewMs} ms`,
  },
  {
    measure: 'longest task while scrolling (CPU)',
    value: `${scrolling.longestMs.toFixed(0)} ms`,
    goal: `${GOALS.longestTaskMs} ms`,
  },
  { measure: 'p99 of tasks (CPU)', value: `${scrolling.p99Ms.toFixed(1)} ms`, goal: `${GOALS.p99TaskMs} ms` },
  {
    measure: 'longest task while folders are opened and scrolled (CPU)',
    value: `${opening.longestMs.toFixed(0)} ms`,
    goal: `${GOALS.longestTaskMs} ms`,
  },
  {
    measure: 'p99 of tasks while folders are opened and scrolled (CPU)',
    value: `${opening.p99Ms.toFixed(1)} ms`,
    goal: `${GOALS.p99TaskMs} ms`,
  },
  {
    measure: 'memory before and after',
    value: `${before.heapMb.toFixed(0)} and ${after.heapMb.toFixed(0)} MiB`,
    goal: `+${GOALS.heapGrowthMb} MiB`,
  },
  { measure: 'elements before and after', value: `${before.elements} and ${after.elements}`, goal: '' },
])
process.stdout.write(
  `\nScrolled to asset ${reached} of ${ASSETS} in one folder, beside ${FOLDERS} folders; ${scrolling.count} tasks; ${await loaded(page)} announced.\nOpened ${openedRows} rows of the tree; ${opening.count} tasks.\n`,
)
checkGoals([
  { name: 'the first view in ms', value: viewMs, max: GOALS.viewMs },
  { name: `the first view in ms with a CPU ${SLOWDOWN} times slower`, value: slowViewMs, max: GOALS.slowViewMs },
  { name: 'the longest task in ms', value: scrolling.longestMs, max: GOALS.longestTaskMs },
  { name: 'the p99 of tasks in ms', value: scrolling.p99Ms, max: GOALS.p99TaskMs },
  { name: 'the longest task in ms in the tree', value: opening.longestMs, max: GOALS.longestTaskMs },
  { name: 'the p99 of tasks in ms in the tree', value: opening.p99Ms, max: GOALS.p99TaskMs },
  { name: 'the number of rows in the tree', value: openedRows, min: Math.min(FOLDERS, TREE_ROWS_MIN) },
  { name: 'the growth of memory in MiB', value: after.heapMb - before.heapMb, max: GOALS.heapGrowthMb },
  { name: 'the number of assets reached', value: reached, min: ASSETS },
])
