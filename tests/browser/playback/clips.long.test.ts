/** Clips and trims start and end at exactly the right frames, which show their numbers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { isCompleted, uploadVideo, waitForVideo } from '../../media/media-fixture.ts'
import { defineNumberOf, makeNumberedFilm, NUMBERED_RATE } from './numbered-film.ts'
import { openPlaybackFixture } from './playback-fixture.ts'
import { inPlayer } from './watching.ts'

const fixture = await opened(openPlaybackFixture('playback_clips'))
const folder = await mkdtemp(join(tmpdir(), 'reelkeep-numbered-'))
afterAll(() => rm(folder, { recursive: true }))

const SECONDS = 20
const film = await makeNumberedFilm(folder, SECONDS)

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

async function openPlayer(id: string): Promise<Page> {
  const page = await fixture.newPage()
  await page.addInitScript(defineNumberOf)
  await page.goto(`${fixture.pageUrlOf(id)}?muted=1`)
  await page.locator('.frame[data-state=ready]').waitFor()
  return page
}

/** The frames that are shown while the player plays from its start to its end, and the one that stays. */
const playThrough = (page: Page) =>
  inPlayer(
    page,
    `(async () => {
      const player = document.querySelector('reelkeep-player')
      const shown = []
      const next = () => video.requestVideoFrameCallback(() => { shown.push(numberOf(video)); next() })
      if (video.readyState >= 2) shown.push(numberOf(video))
      next()
      const ended = new Promise((resolve) => player.addEventListener('ended', resolve, { once: true }))
      await player.play()
      await ended
      await new Promise((resolve) => setTimeout(resolve, 500))
      return { first: shown[0], min: Math.min(...shown), max: Math.max(...shown), last: numberOf(video),
        count: new Set(shown).size, ended: player.ended, time: player.currentTime, duration: player.duration }
    })()`,
  )

const steps = (page: Page, moves: readonly number[]) =>
  inPlayer(
    page,
    `(async () => {
      const player = document.querySelector('reelkeep-player')
      const shown = []
      for (const frames of ${JSON.stringify(moves)}) {
        const next = new Promise((resolve) => video.requestVideoFrameCallback(() => resolve(numberOf(video))))
        player.step(frames)
        shown.push(await next)
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
  const [first, last] = [Math.round(start * NUMBERED_RATE), Math.round(end * NUMBERED_RATE) - 1]

  it('shows exactly its frames', async () => {
    const page = await openPlayer(await newClip(parent, start, end))
    const result = (await playThrough(page)) as Record<string, number | boolean>
    expect(result).toMatchObject({ first, min: first, max: last, last, ended: true })
    expect(result['duration']).toBeCloseTo(end - start, 3)
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
  expect(await steps(await openPlayer(id), [1, -1, 10_000])).toEqual([1, 0, SECONDS * NUMBERED_RATE - 1])
})
