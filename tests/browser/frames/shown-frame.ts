/** Which frame of a numbered film a page shows after an action. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { readNumber } from './numbered-film.ts'

const videoElement = "document.querySelector('reelkeep-player').shadowRoot.querySelector('video')"

/** Script: the frame that a video element shows. */
export const readFrame = `((video, mediaTime) => {
  const { videoWidth: width, videoHeight: height } = video
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(video, 0, 0, width, height)
  return { number: ${readNumber}(context, width, height), mediaTime }
})`

export type ShownFrame = {
  /** Read from the pixels. */
  readonly number: number
  /** Presentation time of the frame in seconds, as the browser reports it. */
  readonly mediaTime: number
}

/**
 * Acts, and returns the next frame that the browser presents. The action must show another frame than before, because
 * the browser does not present the same frame again.
 */
export async function frameAfter(page: Page, act: () => Promise<unknown>): Promise<ShownFrame> {
  await page.evaluate(`{
    const video = ${videoElement}
    globalThis.nextFrame = new Promise((resolve) =>
      video.requestVideoFrameCallback((_, { mediaTime }) => resolve(${readFrame}(video, mediaTime))),
    )
    undefined
  }`)
  await act()
  return page.evaluate<ShownFrame>('globalThis.nextFrame')
}

/**
 * Acts, and returns the frame that the paused page keeps. If it is not the expected one, the page has a few seconds to
 * replace it: the browser may show a frame of the next segment until the segment with the position is buffered.
 */
export async function frameThatStays(page: Page, act: () => Promise<unknown>, expected: number): Promise<ShownFrame> {
  await page.evaluate(`{
    const video = ${videoElement}
    globalThis.lastFrame = undefined
    const next = () =>
      video.requestVideoFrameCallback((_, { mediaTime }) => {
        globalThis.lastFrame = ${readFrame}(video, mediaTime)
        next()
      })
    next()
  }`)
  await act()
  const last = () => page.evaluate<ShownFrame | undefined>(`${videoElement}.seeking ? undefined : globalThis.lastFrame`)
  await expect
    .poll(async () => (await last())?.number, { timeout: 5000 })
    .toBe(expected)
    .catch(() => undefined)
  return (await last()) ?? { number: Number.NaN, mediaTime: Number.NaN }
}

/** Returns the frame that a paused page shows, with the position of its player as the time. */
export async function currentFrame(page: Page): Promise<ShownFrame> {
  await expect
    .poll(() => page.evaluate<number>(`${videoElement}.seeking ? 0 : ${videoElement}.readyState`))
    .toBeGreaterThanOrEqual(2)
  return page.evaluate<ShownFrame>(`${readFrame}(${videoElement}, ${videoElement}.currentTime)`)
}

/** Plays to the end. Returns all frames that were shown, in the order of their times, and the one that stays. */
export const playToEnd = (page: Page) =>
  page.evaluate<{ readonly shown: readonly ShownFrame[]; readonly last: ShownFrame }>(`(async () => {
    const player = document.querySelector('reelkeep-player')
    const video = ${videoElement}
    const shown = []
    const next = () =>
      video.requestVideoFrameCallback((_, { mediaTime }) => {
        shown.push(${readFrame}(video, mediaTime))
        next()
      })
    next()
    const ended = new Promise((resolve) => player.addEventListener('ended', resolve, { once: true }))
    await player.play()
    await ended
    while (video.seeking) await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
    // Frames that the browser has decoded already would be presented within the next screen refreshes.
    for (let refresh = 0; refresh < 10; refresh++) await new Promise(requestAnimationFrame)
    return {
      shown: shown.toSorted((one, other) => one.mediaTime - other.mediaTime),
      last: ${readFrame}(video, video.currentTime),
    }
  })()`)
