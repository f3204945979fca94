/** What a viewer sees of the player, and whether a video really plays: its time goes on, and its picture changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

type Seen = {
  readonly seconds: number
  readonly isPaused: boolean
  readonly hasEnded: boolean
  /** The picture in a few bytes; empty before there is one. */
  readonly pixels: string
  readonly frames: number
  /** The code of the error screen, if it is there. */
  readonly fault: string | null
}

/** In the page: the element and what is in it. */
const look = `{
  const player = document.querySelector('reelkeep-player')
  const root = player.shadowRoot
  const video = root?.querySelector('video')
  const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 18 })
  const context = canvas.getContext('2d')
  if (video) context.drawImage(video, 0, 0, 32, 18)
  const screen = root?.querySelector('.fault')
  ;({
    seconds: video?.currentTime ?? 0,
    isPaused: video?.paused ?? true,
    hasEnded: video?.ended ?? false,
    pixels: video?.videoWidth > 0 ? context.getImageData(0, 0, 32, 18).data.join() : '',
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

const WATCH_SECONDS_MAX = 40
const LOOK_MILLISECONDS = 100

/** Watches until it is so, or for as long as anybody has patience; answers what was seen last. */
export async function watchUntil(page: Page, isSo: (now: Seen) => boolean): Promise<Seen> {
  const deadline = performance.now() + WATCH_SECONDS_MAX * 1000
  for (;;) {
    const now = await seen(page)
    if (isSo(now) || performance.now() > deadline) return now
    await sleep(LOOK_MILLISECONDS)
  }
}

/** Far enough that it is no poster and no first piece alone. */
const PLAYED_SECONDS = 5

/** Presses play and watches. What is answered tells, if it does not play, how far it came and why. */
export async function reallyPlays(page: Page) {
  await page
    .locator('.frame[data-state=ready]')
    .waitFor()
    .catch(() => undefined)
  const before = await seen(page)
  await page.evaluate('document.querySelector("reelkeep-player").play().catch(() => {})')
  const after = await watchUntil(
    page,
    ({ seconds, fault }) => seconds > before.seconds + PLAYED_SECONDS || fault !== null,
  )
  return {
    plays: after.seconds > before.seconds + PLAYED_SECONDS && after.pixels !== before.pixels,
    fault: after.fault,
    seconds: after.seconds,
  }
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
