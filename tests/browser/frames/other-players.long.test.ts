/**
 * Third-party players show whole segments of clips: measures how many frames they show before the start and
 * after the end. Prints the numbers.
 */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { type Engine, openPlayers } from '../players.ts'
import { openFrameFixture } from './frame-fixture.ts'
import { readFrame } from './shown-frame.ts'

const RATE = 25
const SEGMENT_FRAMES = 4 * RATE

const { client, upload } = await opened(openFrameFixture('other_players'))
const players = await opened(openPlayers())
const film = await upload({ name: '25 fps', rate: String(RATE) })

/** Records the first frame that is presented. */
const prepare = `
  const video = document.querySelector('video')
  globalThis.firstFrame = new Promise((resolve) =>
    video.requestVideoFrameCallback((_, { mediaTime }) => resolve(${readFrame}(video, mediaTime).number)),
  )
  undefined`

async function playThrough(engine: Engine, url: string) {
  await using viewer = await players.play({ engine, url, rate: 2, prepare })
  const { errors, hasEnded } = await viewer.watchUntil((state) => state.hasEnded)
  expect({ errors, hasEnded }).toEqual({ errors: [], hasEnded: true })
  return {
    first: await viewer.evaluate<number>('globalThis.firstFrame'),
    last: await viewer.evaluate<number>(`${readFrame}(document.querySelector('video'), 0).number`),
  }
}

it.each([
  // From the middle of one segment to that of another; within one segment; between borders of segments.
  [133, 277],
  [227, 262],
  [200, 300],
])('other players show at most a segment before frame %d and after frame %d of a clip', async (start, end) => {
  const { video } = await client.clips.create(film.id, { start_seconds: start / RATE, end_seconds: end / RATE })
  for (const engine of ['hls.js', 'shaka', 'dash.js'] as const) {
    const url = engine === 'dash.js' ? video.dash_url : video.playback_url
    const { first, last } = await playThrough(engine, url ?? '')
    process.stdout.write(`${engine}: ${start - first} frames before the start, ${last - (end - 1)} after the end\n`)
    expect(start - first).toBeGreaterThanOrEqual(0)
    expect(start - first).toBeLessThan(SEGMENT_FRAMES)
    expect(last - (end - 1)).toBeGreaterThanOrEqual(0)
    expect(last - (end - 1)).toBeLessThan(SEGMENT_FRAMES)
  }
})
