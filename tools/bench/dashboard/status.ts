/**
 * `pnpm bench dashboard-status`: 200 assets are processed at once while the library shows them. Measures the time from
 * the event of each change of status until the page shows it.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { setUpUploads, startStack, WorkerProcess } from '@reelkeep/testkit'
import type { Page } from 'playwright-core'
import { Reelkeep } from 'reelkeep'
import { openDashboardFixture } from '../../../tests/browser/dashboard/dashboard-fixture.ts'
import { memberCookies } from '../../../tests/browser/dashboard/page-states.ts'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'
import { quantile } from './page-measures.ts'

const { values } = parseArgs({ options: { assets: { type: 'string', default: '200' } } })
const ASSETS = Number(values.assets)
const GOAL_MS = 1000
const UPLOADS_AT_ONCE = 8
/** Time limit of the run, for the case that a video is never shown as completed. */
const MILLISECONDS_PER_ASSET_MAX = 15_000
/** So high that all rows of the list are visible. */
const VIEWPORT = { width: 1440, height: 64 * ASSETS + 400 }

const statuses = { 'asset.processing': 'Processing', 'asset.completed': 'Completed' } as const
/** Notes when each status is painted for the first time. A video that is ready shows no status. */
const OBSERVE = `
  window.shownStatuses = []
  const last = new Map()
  const look = () => {
    for (const option of document.querySelectorAll('[role=option]')) {
      const status = option.querySelector('[data-status]')?.dataset.status ?? 'Completed'
      if (last.get(option.id) === status) continue
      last.set(option.id, status)
      window.shownStatuses.push({ id: option.id.replace('video-', ''), status, at: Date.now() })
    }
  }
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.querySelector('[role=listbox]'),
    { subtree: true, childList: true, attributes: true, attributeFilter: ['data-status'] })`

type Shown = { readonly id: string; readonly status: string; readonly at: number }

await startStack()
const buckets = { STORAGE_UPLOADS_BUCKET: `uploads-${randomUUID()}`, STORAGE_MEDIA_BUCKET: `media-${randomUUID()}` }
await using fixture = await openDashboardFixture('bench_dashboard_status', () => buckets)
const { env, origin, organizationId, token, settings } = fixture
await setUpUploads(env, { ...settings, UPLOAD_ORIGINS: origin })
const client = new Reelkeep({ url: origin, organization: organizationId, token })

await uploadAll()
const { page } = await fixture.newPage({ storageState: await memberCookies(fixture), viewport: VIEWPORT })
await page.addInitScript(`localStorage.setItem('reelkeep.library-view', 'list')`)
await page.goto(`${origin}/o/${organizationId}/library`)
await page
  .locator('[role=option]')
  .nth(ASSETS - 1)
  .waitFor()
await page.evaluate(OBSERVE)
{
  await using _worker = await WorkerProcess.start({ settings, env })
  await untilAllCompleted(page)
}
report(await page.evaluate<Shown[]>('window.shownStatuses'), await changes())

/** Copies of one short film. */
async function uploadAll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-bench-status-'))
  try {
    const film = join(folder, 'film.mp4')
    const source = ['-f', 'lavfi', '-i', 'testsrc2=size=426x240:rate=25:duration=2']
    await promisify(execFile)('ffmpeg', ['-v', 'error', ...source, '-pix_fmt', 'yuv420p', film])
    const titles = Array.from({ length: ASSETS }, (_, index) => `Film ${index + 1}`)
    const upload = async () => {
      for (let title = titles.pop(); title; title = titles.pop())
        await client.uploads.send(film, { title, resolutions: ['240p'] })
    }
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function untilAllCompleted(page: Page): Promise<void> {
  const count = `window.shownStatuses.filter(({ status }) => status === 'Completed').length`
  const deadline = performance.now() + ASSETS * MILLISECONDS_PER_ASSET_MAX
  while ((await page.evaluate<number>(count)) < ASSETS) {
    // After the time limit, the goals report the videos that are not shown.
    if (performance.now() > deadline) return
    await page.waitForTimeout(1000)
  }
}

/** Times of the changes of status, by asset and status. */
async function changes(): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  for (const [type, status] of Object.entries(statuses))
    for await (const event of client.events.list({ types: type as keyof typeof statuses }))
      times.set(`${event.asset_id} ${status}`, Date.parse(event.created_at))
  return times
}

function report(shown: readonly Shown[], times: ReadonlyMap<string, number>): void {
  const rows = Object.values(statuses).map((status) => {
    const delays = shown
      .filter((one) => one.status === status)
      .map(({ id, at }) => at - (times.get(`${id} ${status}`) ?? Number.NaN))
      .sort((a, b) => a - b)
    return { status, delays }
  })
  const text = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`
  printTable(
    rows.map(({ status, delays }) => ({
      ...{ status, shown: `${delays.length} of ${ASSETS}`, median: text(quantile(delays, 0.5)) },
      ...{ p95: text(quantile(delays, 0.95)), longest: text(delays.at(-1) ?? Number.NaN), goal: `p95 ${GOAL_MS} ms` },
    })),
  )
  checkGoals(
    rows.flatMap(({ status, delays }) => [
      { name: `the number of videos shown as "${status}"`, value: delays.length, min: ASSETS },
      { name: `the p95 until "${status}" is shown, in ms`, value: quantile(delays, 0.95), max: GOAL_MS },
    ]),
  )
}
