/** Clips and trims start and end at exactly the right frames, which show their numbers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { isCompleted, uploadVideo, waitForVideo } from '../../media/media-fixture.ts'
import { makeNumberedFilm } from '../frames/numbered-film.ts'
import { currentFrame, playToEnd, readFrame } from '../frames/shown-frame.ts'
import { openPlaybackFixture } from './playback-fixture.ts'
import { inPlayer } from './watching.ts'

const fixture = await opened(openPlaybackFixture('playback_clips'))
const folder = await mkdtemp(join(tmpdir(), 'reelkeep-numbered-'))
afterAll(() => rm(folder, { recursive: true }))

const SECONDS = 20
const RATE = 30
/** Refreshes of the screen, 60 per second, after which a step has failed. */
const STEP_REFRESHES_MAX = 1200
const film = await makeNumberedFilm(folder, { name: 'numbers', rate: String(RATE), seconds: SECONDS })

async function newVideo(content_protection_type: string): Promise<string> {
  const options = { title: 'Numbers', resolutions: ['240p'], content_protection_type }
  const id = await uploadVideo(fixture.caller, film, options)
  await waitForVideo(fixture.caller, id, isCompleted, 240)
  return id
}

const parent = await newVideo('disable')

async function newClip(of: string, start_seconds: number, end_seconds: number): Promise<string> {
  const { body } = await fixture.caller.post<assets.Asset>(`assets/${of}/clips/`, { start_seconds, end_seconds })
  return body.id
}

/** Opens the player, with a playback token if the video is protected. */
async function openPlayer(id: string): Promise<Page> {
  const { body: asset } = await fixture.caller.get<assets.Asset>(`assets/${id}/`)
  const isOpen = asset.video.content_protection_type === 'disable'
  const { body } = isOpen ? {} : await fixture.caller.post<{ token: string }>(`assets/${id}/access-tokens/`, {})
  const page = await fixture.newPage()
  await page.addInitScript(`globalThis.numberOf = (video) => ${readFrame}(video).number`)
  await page.goto(`${fixture.pageUrlOf(id)}?muted=1${body ? `&token=${body.token}` : ''}`)
  await page.locator('.frame[data-state=ready]').waitFor()
  return page
}

/** The frames that the player shows while it plays from its start to its end, and the one that stays. */
async function playThrough(page: Page) {
  const first = await currentFrame(page)
  const { shown, last } = await playToEnd(page)
  const numbers = [first, ...shown].map(({ number }) => number)
  const { ended, duration } = await page.evaluate<{ ended: boolean; duration: number }>(
    `(({ ended, duration }) => ({ ended, duration }))(document.querySelector('reelkeep-player'))`,
  )
  const range = { min: Math.min(...numbers), max: Math.max(...numbers) }
  return { first: first.number, ...range, last: last.number, ended, duration }
}

/** The frames that the player shows after these steps, each of which leads to another frame. */
const steps = (page: Page, moves: readonly number[]) =>
  inPlayer(
    page,
    `(async () => {
      const player = document.querySelector('reelkeep-player')
      const shown = []
      for (const frames of ${JSON.stringify(moves)}) {
        const before = numberOf(video)
        player.step(frames)
        // A browser may present the frame before a seek again.
        const isShown = () => !video.seeking && video.readyState >= 2 && numberOf(video) !== before
        for (let refresh = 0; refresh < ${STEP_REFRESHES_MAX} && !isShown(); refresh++)
          await new Promise(requestAnimationFrame)
        shown.push(numberOf(video))
      }
      return shown
    })()`,
  )

describe.each([
  // From the middle of one segment to the middle of another; within one segment; from and to borders of segments.
  [5.3, 11.1],
  [9.1, 10.5],
  [8, 12],
  [0, 3.5],
  [16.5, 20],
])('a clip from %d to %d seconds', (start, end) => {
  const [first, last] = [Math.round(start * RATE), Math.round(end * RATE) - 1]

  it('shows exactly its frames', async () => {
    const page = await openPlayer(await newClip(parent, start, end))
    const result = await playThrough(page)
    expect(result).toMatchObject({ first, min: first, max: last, last, ended: true })
    expect(result.duration).toBeCloseTo(end - start, 3)
  })

  it('steps to its first and last frame and no further', async () => {
    const page = await openPlayer(await newClip(parent, start, end))
    expect(await steps(page, [1, 5, -100, 10_000, -1])).toEqual([first + 1, first + 6, first, last, last - 1])
  })
})

it('a clip of a video under AES-128 shows exactly its frames', async () => {
  const page = await openPlayer(await newClip(await newVideo('aes'), 5.3, 11.1))
  expect(await playThrough(page)).toMatchObject({ first: 159, min: 159, max: 332, last: 332, ended: true })
})

it('a trimmed video shows exactly its frames, and all of them after the trim is deleted', async () => {
  const id = await newVideo('disable')
  await fixture.caller.put(`assets/${id}/trim/`, { start_seconds: 5.3, end_seconds: 7.1 })
  expect(await playThrough(await openPlayer(id))).toMatchObject({ first: 159, min: 159, max: 212, last: 212 })
  await fixture.caller.delete(`assets/${id}/trim/`)
  expect(await steps(await openPlayer(id), [1, -1, 10_000])).toEqual([1, 0, SECONDS * RATE - 1])
})
