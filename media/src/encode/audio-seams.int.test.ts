/** Audio is continuous across parts, and in sync with the video. audio-seams.long.test.ts has more sources. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { expectContinuousTone, expectInSync, loudness } from '../../testing/audio-seams.ts'
import { encodeVideo, samplesOf } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'

let long: string
let sandbox: Sandbox
beforeAll(async () => {
  long = await createLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

it.each(['plain.mp4', 'recording.mkv'] as const)('a tone in %s is continuous across parts', (name) =>
  expectContinuousTone(sandbox, long, name),
)

it('the flashes and beeps of a video are in sync after encoding', () => expectInSync(sandbox, long, 'flashes.ts'))

it('an encoded video is silent before the audio of its source starts and after it ends', async () => {
  const rungs = [rungOf('240p', 64, 36)]
  const plan = planOf({ durationSeconds: 21, audioStream: 1, rungs, chunkSegments: 1 })
  await using video = await encodeVideo(sandbox, localFile(join(long, 'late-audio.mp4')), plan)
  const levels = loudness(await samplesOf(await video.join('audio')))
  const audible = levels.flatMap((level, millisecond) => (level > 0.01 ? [millisecond] : []))
  expect(audible.at(0)).toBeGreaterThan(9680)
  expect(audible.at(0)).toBeLessThan(9720)
  expect(audible.at(-1)).toBeGreaterThan(13_680)
  expect(audible.at(-1)).toBeLessThan(13_745)
  expect(audible.length).toBeGreaterThan(3950)
})
