/**
 * `node tests/browser/dashboard/screenshots.ts [FOLDER] [START]`: takes screenshots of every state of the dashboard, or
 * of those whose names start with START, light and dark, 1440 and 390 pixels wide. The default folder is
 * `.stack/screenshots`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, startStack } from '@reelkeep/testkit'
import { setup as buildPlayer } from '../playback/build-player.ts'
import { openLibraryFixture } from './library-data.ts'
import { colorSchemes, memberCookies, openState, settle, states, widths } from './page-states.ts'

const [, , folder = join(root, '.stack/screenshots'), start = ''] = process.argv
mkdirSync(folder, { recursive: true })
await startStack()
await buildPlayer()
await using fixture = await openLibraryFixture('dashboard_screenshots')
const storageState = await memberCookies(fixture)

for (const [name, state] of Object.entries(states).filter(([state]) => state.startsWith(start))) {
  for (const width of widths) {
    await using opened = await openState(fixture, { state, width, storageState })
    for (const colorScheme of colorSchemes) {
      await opened.page.emulateMedia({ colorScheme })
      await settle(opened.page)
      await opened.page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
  }
  process.stdout.write(`${name}\n`)
}
