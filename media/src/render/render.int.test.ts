/** A rendered part has exactly its frames, each once and at its time, and audio without a gap, at every frame rate. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeVideo, packetsOf, samplesOf } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { makeNumberedFilm, numbersIn } from '../../testing/rendered/numbered-film.ts'
import { renderVideo } from '../../testing/rendered/rendered-video.ts'
import { audioFrameAfter, ticksOf } from '../encode/arguments/frame-ranges.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-rendered-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})
afterAll(() => rm(directory, { recursive: true }))

const SECONDS = 18
/** An AAC decoder needs the frame before to decode a frame, so it starts with silence. */
const WARM_UP_SAMPLES = 2048

const films = [
  ['24000/1001', false],
  ['25', false],
  ['30000/1001', false],
  ['30', false],
  ['50', false],
  ['60', false],
  ['30', true],
] as const

it.each(films)(
  'a rendered part of a film with %s fps (variable: %s) has exactly its frames',
  async (rate, isVariable) => {
    const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
    const film = { path: join(directory, `${rate.replace('/', '-')}-${isVariable}.mp4`), rate, seconds: SECONDS }
    await makeNumberedFilm(film, isVariable)
    const rungs = [rungOf('240p', 480, 64)]
    const frameRate = { numerator, denominator }
    const plan = planOf({ durationSeconds: SECONDS, frameRate, audioStream: 1, rungs, chunkSegments: 1 })
    const source = localFile(film.path)
    await using video = await encodeVideo(sandbox, source, plan)
    const [numbers, samples] = [await numbersIn(await video.join('240p')), await samplesOf(await video.join('audio'))]
    expect(numbers).toHaveLength(plan.frames)
    if (!isVariable) expect(numbers).toEqual(Array.from({ length: plan.frames }, (_, frame) => frame))
    const { segmentFrames: segment } = plan

    for (const [startFrame, endFrame] of [
      // From the middle of a segment to that of another; to the end; within one segment; across one border.
      [Math.round(segment * 0.3), Math.round(segment * 3.6)],
      [segment + 1, plan.frames],
      [segment * 2 + 5, segment * 3 - 7],
      [segment * 2 - 1, segment * 2 + 1],
      [segment - 1, segment * 3 + 2],
      [segment - 2, segment + 20],
      [segment + 3, segment + 4],
      [segment, segment * 3],
    ] as const) {
      const rendered = await renderVideo(sandbox, { source, plan, video }, { startFrame, endFrame })
      const [picture, sound] = [await rendered.join('240p'), await rendered.join('audio')]
      expect([picture.isSameInit, sound.isSameInit]).toEqual([true, true])
      expect(await numbersIn(picture.path)).toEqual(numbers.slice(startFrame, endFrame))

      const packets = await packetsOf(picture.path)
      const { perFrame } = ticksOf(frameRate)
      const times = packets.map(({ pts }) => pts / perFrame).toSorted((one, other) => one - other)
      expect(times).toEqual(Array.from({ length: endFrame - startFrame }, (_, frame) => frame))
      expect(packets.map(({ dts }) => dts)).toEqual(packets.map(({ dts }) => dts).toSorted((a, b) => a - b))

      expect(await largestJump(sound.path)).toBe(0)
      const tone = await samplesOf(sound.path)
      const { audio } = plan
      if (!audio) throw new Error('The plan has no audio')
      const first = audioFrameAfter(plan, audio, startFrame) * 1024
      // The first packets are those of the whole file, so the decoded samples are, too.
      expect(Math.abs(tone.length - ((endFrame - startFrame) / (numerator / denominator)) * 48_000)).toBeLessThan(2100)
      expect(largestDifference(tone, samples.subarray(first))).toBeLessThan(0.01)
      expect(largestStep(tone)).toBeLessThan(largestStep(samples) * 1.1)
    }
  },
)

/** The largest distance between the end of an audio packet and the start of the next one, in samples. */
async function largestJump(path: string): Promise<number> {
  const times = (await packetsOf(path)).map(({ pts }) => pts)
  return Math.max(0, ...times.slice(1).map((time, index) => Math.abs(time - (times[index] ?? 0) - 1024)))
}

function largestDifference(part: Float32Array, whole: Float32Array): number {
  let largest = 0
  for (let at = WARM_UP_SAMPLES; at < Math.min(part.length, whole.length) - WARM_UP_SAMPLES; at++)
    largest = Math.max(largest, Math.abs((part[at] ?? 0) - (whole[at] ?? 0)))
  return largest
}

/** A click is a step that is larger than those of the tone. */
function largestStep(samples: Float32Array): number {
  let largest = 0
  for (let at = WARM_UP_SAMPLES; at < samples.length - WARM_UP_SAMPLES; at++)
    largest = Math.max(largest, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)))
  return largest
}
