/** What a viewer sees of the player, and whether a video really plays: its time goes on, and its picture changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { newPatience } from '../browser/patience.ts'

type Seen = {
  readonly seconds: number
  readonly isPaused: boolean
  readonly hasEnded: boolean
  readonly frames: number
  /** The code of the error screen, if it is there. */
  readonly fault: string | null
}

/** In the page: the element and what is in it. */
const look = `{
  const player = document.querySelector('reelkeep-player')
  const root = player.shadowRoot
  const video = root?.querySelector('video')
  const screen = root?.querySelector('.fault')
  ;({
    seconds: video?.currentTime ?? 0,
    isPaused: video?.paused ?? true,
    hasEnded: video?.ended ?? false,
    frames: video?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
    fault: screen && !screen.hidden ? screen.dataset.fault : null,
  })
}`

export const seen = async (page: Page) => (await page.evaluate(look)) as Seen

/** Of `video`, or of `root`, in which it is. */
export const inPlayer = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(`{
    const root = document.querySelector('reelkeep-player').shadowRoot
    const video = root.querySelector('video')
    ;(${expression})
  }`)

const LOOK_MILLISECONDS = 100

/** Watches until it is so, or nothing has moved for long; answers what was seen last. */
export async function watchUntil(page: Page, isSo: (now: Seen) => boolean): Promise<Seen> {
  const isWorthwhile = newPatience()
  for (;;) {
    const now = await seen(page)
    if (isSo(now) || !isWorthwhile(now)) return now
    await sleep(LOOK_MILLISECONDS)
  }
}

/** What lay over the first picture has gone by then. */
const STARTED_SECONDS = 1.5
/** Far enough that it is no poster and no first piece alone. */
const PLAYED_SECONDS = 5

/**
 * The middle of the page, where nothing lies over a film that plays. As it is on the screen: of
 * what is encrypted a script sees nothing but black.
 */
function pictureOf(page: Page): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const clip = { x: 0, y: 0.15 * height, width, height: 0.6 * height }
  return page.screenshot({ clip })
}

/** Presses play and watches. What is answered tells, if it does not play, how far it came and why. */
export async function reallyPlays(page: Page) {
  await page
    .locator('.frame[data-state=ready]')
    .waitFor()
    .catch(() => undefined)
  await page.evaluate('document.querySelector("reelkeep-player").play().catch(() => {})')
  // Where it goes on from is known once there is a picture.
  const before = await watchUntil(
    page,
    ({ frames, isPaused, fault }) => (frames > 0 && !isPaused) || fault !== null,
  )
  const playsFor = (played: number) =>
    watchUntil(page, ({ seconds, fault }) => seconds > before.seconds + played || fault !== null)
  await playsFor(STARTED_SECONDS)
  const picture = await pictureOf(page)
  const { seconds, fault } = await playsFor(PLAYED_SECONDS)
  const isAnother = !(await pictureOf(page)).equals(picture)
  return { plays: seconds > before.seconds + PLAYED_SECONDS && isAnother, fault, seconds }
}

/** How long it is watched that nothing plays: longer than anything takes that does. */
const STILL_SECONDS = 6

/** Answers the fault that the viewer is told of; undefined if a single frame was shown, or nothing was told. */
export async function doesNotPlay(page: Page): Promise<string | undefined> {
  const told = await watchUntil(page, ({ fault, frames }) => fault !== null || frames > 0)
  await page.evaluate('void document.querySelector("reelkeep-player").play().catch(() => {})')
  const deadline = performance.now() + STILL_SECONDS * 1000
  while (performance.now() < deadline) {
    const { frames, seconds } = await seen(page)
    if (frames > 0 || seconds > 0) return undefined
    await sleep(LOOK_MILLISECONDS)
  }
  return told.fault ?? undefined
}
