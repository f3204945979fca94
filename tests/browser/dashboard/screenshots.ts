/**
 * `node tests/browser/dashboard/screenshots.ts [FOLDER] [START]`: takes screenshots of every state of the dashboard, or
 * of those whose names start with START, light and dark, 1440 and 390 pixels wide. The default folder is
 * `.stack/screenshots`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, startStack } from '@reelkeep/testkit'
import { openDashboardFixture } from './dashboard-fixture.ts'
import { memberCookies, optionsOf, states, views } from './page-states.ts'

const [, , folder = join(root, '.stack/screenshots'), start = ''] = process.argv
mkdirSync(folder, { recursive: true })
await startStack()
await using fixture = await openDashboardFixture('dashboard_screenshots')
const storageState = await memberCookies(fixture)

for (const [name, state] of Object.entries(states).filter(([state]) => state.startsWith(start))) {
  for (const view of views) {
    const session = state.isSignedIn ? { storageState } : {}
    const { page } = await fixture.newPage({ ...optionsOf(view), ...session, reducedMotion: 'reduce' })
    await state.open(page, fixture)
    await page.evaluate('document.fonts.ready')
    await page.screenshot({ path: join(folder, `${name}-${view.colorScheme}-${view.width}.png`), fullPage: true })
    await page.context().close()
  }
  process.stdout.write(`${name}\n`)
}
