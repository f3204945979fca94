/** `node tests/browser/playback/screenshots.ts`: takes the screenshots for docs/guides/player.md. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, startStack } from '@reelkeep/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { setup as buildPlayer } from './build-player.ts'
import { SCENE_SECONDS } from './film.ts'
import { openForeignPage } from './foreign-page.ts'
import { type FixtureVideo, openPlaybackFixture } from './playback-fixture.ts'
import { watchUntil } from './watching.ts'

/** Time for animations to finish. */
const SETTLE_MILLISECONDS = 700

await startStack()
await buildPlayer()
await using fixture = await openPlaybackFixture('playback_screenshots')
await using cleanup = new AsyncDisposableStack()
const video = await fixture.newVideo('disable')

const screenshot = async (page: Page, name: string) => {
  await sleep(SETTLE_MILLISECONDS)
  await page.screenshot({ path: join(root, 'docs/guides', `player-${name}.png`) })
}

/** Opens the player shortly after the start of a scene, numbered from 0. */
async function openAt(scene: number, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await fixture.newPage(options)
  await page.goto(`${video.pageUrl}?muted=1#t=${scene * SCENE_SECONDS + 2}`)
  return play(page, scene)
}

async function play(page: Page, scene: number): Promise<Page> {
  await page.locator('.frame[data-state=ready]').waitFor()
  await page.evaluate('void document.querySelector("reelkeep-player").play()')
  await watchUntil(page, ({ seconds }) => seconds > scene * SCENE_SECONDS + 3)
  return page
}

const start = await fixture.newPage()
await start.goto(video.pageUrl)
await start.locator('.frame[data-state=ready]').waitFor()
await screenshot(start, 'start')

const chapters = await openAt(3)
await chapters.mouse.move(300, 250)
await chapters.getByRole('button', { name: 'Chapters', exact: true }).click()
await screenshot(chapters, 'chapters')

const hover = await openAt(1)
const box = await hover.locator('.timeline').boundingBox()
if (!box) throw new Error('The timeline is missing')
await hover.mouse.move(box.x + box.width * 0.66, box.y + 12, { steps: 4 })
await screenshot(hover, 'preview')

const captions = await openAt(0)
await captions.keyboard.press('c')
await captions.mouse.move(300, 250)
await screenshot(captions, 'captions')

const transcript = await openAt(2)
await transcript.keyboard.press('/')
await transcript.getByRole('searchbox').waitFor()
await transcript.keyboard.type('hills')
await transcript.getByText('1 result').waitFor()
await screenshot(transcript, 'transcript')

const missing = await fixture.newPage()
await missing.goto(fixture.pageUrlOf('00000000-0000-7000-8000-000000000000'))
await missing.getByRole('alert').waitFor()
await screenshot(missing, 'missing')

await screenshot(await openPhone(video), 'phone')

/** The player element on a third-party page, on a phone. */
async function openPhone({ assetId, caller: { organizationId } }: FixtureVideo): Promise<Page> {
  const viewport = { width: 390, height: 420 }
  const touch = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }
  const page = await fixture.newPage({ viewport, ...touch })
  const html = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>The hills</title>
    <style>body{margin:0;padding:16px;background:#f6f3ee;color:#2b2620;font:16px/1.55 Georgia,"DejaVu Serif",serif}h1{font-size:24px;margin:6px 0 12px}</style>
    <script type="module" src="${fixture.api.baseUrl}/embed/-/reelkeep-player.js"></script>
    <h1>Field notes</h1>
    <reelkeep-player muted start="${2 * SCENE_SECONDS + 2}" src="${fixture.api.baseUrl}/play/open/${organizationId}/${assetId}/"></reelkeep-player>
    <p>We went up before sunrise and stayed until the moon stood above the ridge. Nothing happened, which was the point.</p>`
  const theirs = cleanup.use(await openForeignPage(html))
  await page.goto(theirs.url)
  await play(page, 2)
  await page.getByRole('button', { name: 'Captions' }).tap()
  return page
}
