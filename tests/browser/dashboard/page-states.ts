/** The states of the pages that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import { type DashboardFixture, joinWithPassword, PASSWORD } from './dashboard-fixture.ts'
import type { LibraryFixture } from './library-data.ts'
import { captionStates } from './states/captions.ts'
import { clipStates } from './states/editing/clips.ts'
import { entranceStates } from './states/entrance.ts'
import { libraryStates } from './states/library.ts'
import { searchStates } from './states/search.ts'
import { settingsStates } from './states/settings/settings.ts'
import { settingsDialogStates } from './states/settings/settings-dialogs.ts'
import { shareStates } from './states/share.ts'
import { shellStates } from './states/shell.ts'
import type { State, States } from './states/state.ts'
import { studioStates } from './states/studio.ts'
import { uploadStates } from './states/uploads.ts'
import { videoStates } from './states/video.ts'

export { PASSWORD }

export const states: States = {
  ...entranceStates,
  ...shellStates,
  ...libraryStates,
  ...searchStates,
  ...uploadStates,
  ...videoStates,
  ...studioStates,
  ...captionStates,
  ...clipStates,
  ...shareStates,
  ...settingsStates,
  ...settingsDialogStates,
}

/** Cookies of an owner, from which pages in other browsers are signed in. */
export async function memberCookies(fixture: DashboardFixture, email = 'amara@example.org') {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite(email, { role: 'owner' }), 'Amara Diallo', PASSWORD)
  const { cookies } = await page.context().storageState()
  await page.context().close()
  return { cookies, origins: [] }
}

export const widths = [1440, 390] as const
export const colorSchemes = ['light', 'dark'] as const

type Opening = {
  readonly state: State
  readonly width: (typeof widths)[number]
  readonly storageState: Awaited<ReturnType<typeof memberCookies>>
}

/** Opens a state in a browser of its own. */
export async function openState(fixture: LibraryFixture, { state, width, storageState }: Opening) {
  await using opening = new AsyncDisposableStack()
  const session = state.isSignedIn ? { storageState } : {}
  const viewport = { width, height: 900 }
  const opened = await fixture.newPage({ viewport, ...session, reducedMotion: 'reduce' })
  opening.defer(() => opened.page.context().close())
  await state.open(opened.page, fixture)
  const open = opening.move()
  return { ...opened, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Time for the player to buffer, and for animations. */
const SETTLE_MILLISECONDS = 1500

/** Images further down are loaded when they are scrolled to. */
const loadImages = `Promise.all([...document.images]
  .filter((image) => image.getBoundingClientRect().top < innerHeight)
  .map((image) => image.decode().catch(() => undefined)))`

/** Waits until a screenshot shows all images. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready')
  await page.evaluate(loadImages)
  await page.waitForTimeout(SETTLE_MILLISECONDS)
}
