/** Observes the player in a page: whether its position advances and its frames change. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { newStallDetector } from '../stall-detector.ts'

type PlayerState = {
  readonly seconds: number
  readonly isPaused: boolean
  readonly hasEnded: boolean
  readonly frames: number
  /** Code of the error screen; null if it is not shown. */
  readonly errorCode: string | null
}

/** Script that reads the player's state in the page. */
const readState = `{
  const player = document.querySelector('reelkeep-player')
  const root = player.shadowRoot
  const video = root?.querySelector('video')
  const screen = root?.querySelector('.fault')
  ;({
    seconds: video?.currentTime ?? 0,
    isPaused: video?.paused ?? true,
    hasEnded: video?.ended ?? false,
    frames: video?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
    errorCode: screen && !screen.hidden ? screen.dataset.fault : null,
  })
}`

export const stateOf = async (page: Page) => (await page.evaluate(readState)) as PlayerState

/** Evaluates an expression with `video` and the shadow `root` of the player. */
export const inPlayer = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(`{
    const root = document.querySelector('reelkeep-player').shadowRoot
    const video = root.querySelector('video')
    ;(${expression})
  }`)

const POLL_MILLISECONDS = 100

/** Polls until the condition is met or playback stalls; returns the last state. */
export async function watchUntil(page: Page, condition: (now: PlayerState) => boolean): Promise<PlayerState> {
  const isProgressing = newStallDetector()
  for (;;) {
    const now = await stateOf(page)
    if (condition(now) || !isProgressing(now)) return now
    await sleep(POLL_MILLISECONDS)
  }
}

/** Playing time until the first screenshot. The controls are hidden again by then. */
const STARTED_SECONDS = 1.5
/** Playing time until the second screenshot: longer than the first segment. */
const PLAYED_SECONDS = 5

/**
 * Screenshot of the middle of the page, which the controls do not cover. Scripts cannot read frames of encrypted video.
 */
function screenshotOf(page: Page): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const clip = { x: 0, y: 0.15 * height, width, height: 0.6 * height }
  return page.screenshot({ clip })
}

/** Starts playback and observes it. Returns whether it plays, its position and the error code, if any. */
export async function reallyPlays(page: Page) {
  await page
    .locator('.frame[data-state=ready]')
    .waitFor()
    .catch(() => undefined)
  await page.evaluate('document.querySelector("reelkeep-player").play().catch(() => {})')
  // The start position is known once the first frame is shown.
  const before = await watchUntil(
    page,
    ({ frames, isPaused, errorCode }) => (frames > 0 && !isPaused) || errorCode !== null,
  )
  const playsFor = (played: number) =>
    watchUntil(page, ({ seconds, errorCode }) => seconds > before.seconds + played || errorCode !== null)
  await playsFor(STARTED_SECONDS)
  const screenshot = await screenshotOf(page)
  const { seconds, errorCode } = await playsFor(PLAYED_SECONDS)
  const hasChanged = !(await screenshotOf(page)).equals(screenshot)
  return { plays: seconds > before.seconds + PLAYED_SECONDS && hasChanged, errorCode, seconds }
}

/** How long to watch a player that must not play: longer than playback takes to start. */
const STILL_SECONDS = 6

/** Returns the error code shown to the viewer; undefined if a frame was shown or there was no error. */
export async function doesNotPlay(page: Page): Promise<string | undefined> {
  const state = await watchUntil(page, ({ errorCode, frames }) => errorCode !== null || frames > 0)
  await page.evaluate('void document.querySelector("reelkeep-player").play().catch(() => {})')
  const deadline = performance.now() + STILL_SECONDS * 1000
  while (performance.now() < deadline) {
    const { frames, seconds } = await stateOf(page)
    if (frames > 0 || seconds > 0) return undefined
    await sleep(POLL_MILLISECONDS)
  }
  return state.errorCode ?? undefined
}
