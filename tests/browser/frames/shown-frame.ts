/** Which frame of a numbered film a page shows after an action. */
import type { Page } from 'playwright-core'
import { readNumber } from './numbered-film.ts'

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
    const video = document.querySelector('reelkeep-player').shadowRoot.querySelector('video')
    const read = ${readNumber}
    globalThis.nextFrame = new Promise((resolve) =>
      video.requestVideoFrameCallback((_, { mediaTime, width, height }) => {
        const canvas = new OffscreenCanvas(width, height)
        const context = canvas.getContext('2d')
        context.drawImage(video, 0, 0, width, height)
        resolve({ number: read(context, width, height), mediaTime })
      }),
    )
    undefined
  }`)
  await act()
  return page.evaluate<ShownFrame>('globalThis.nextFrame')
}
