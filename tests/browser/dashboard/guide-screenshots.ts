/** `node tests/browser/dashboard/guide-screenshots.ts`: takes the screenshots for docs/guides/dashboard.md. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, startStack } from '@reelkeep/testkit'
import { setup as buildPlayer } from '../playback/build-player.ts'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies, settle, states } from './page-states.ts'

const run = promisify(execFile)

const desktop = { viewport: { width: 1280, height: 800 } }
const tall = { viewport: { width: 1280, height: 900 } }
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

const screenshots = [
  { name: 'library', state: 'library', colorScheme: 'light', device: desktop },
  { name: 'library-dark', state: 'library', colorScheme: 'dark', device: desktop },
  { name: 'video-dark', state: 'video', colorScheme: 'dark', device: desktop },
  { name: 'studio', state: 'studio', colorScheme: 'light', device: desktop },
  { name: 'search', state: 'search-found', colorScheme: 'light', device: desktop },
  { name: 'captions', state: 'captions-beside', colorScheme: 'dark', device: desktop },
  { name: 'clip', state: 'clip-dialog', colorScheme: 'light', device: tall },
  { name: 'share', state: 'share-link', colorScheme: 'light', device: desktop },
  { name: 'usage', state: 'settings-usage', colorScheme: 'light', device: desktop },
  { name: 'phone-library', state: 'library', colorScheme: 'light', device: phone },
  { name: 'phone-video', state: 'video', colorScheme: 'dark', device: phone },
] as const

await startStack()
await buildPlayer()
const folder = await mkdtemp(join(tmpdir(), 'reelkeep-screenshots-'))
await using cleanup = new AsyncDisposableStack()
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const fixture = cleanup.use(await openLibraryFixture('dashboard_guide'))
const storageState = await memberCookies(fixture)

for (const { name, state, colorScheme, device } of screenshots) {
  const { page } = await fixture.newPage({ ...device, colorScheme, storageState, reducedMotion: 'reduce' })
  await states[state]?.open(page, fixture)
  if (device !== phone) await page.locator('aside').first().getByText('Talks').waitFor()
  await settle(page)
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path })
  await page.context().close()
  const webp = join(root, 'docs/guides', `dashboard-${name}.webp`)
  await run('ffmpeg', ['-v', 'error', '-y', '-i', path, '-c:v', 'libwebp', '-quality', '80', webp])
  process.stdout.write(`${webp}\n`)
}
