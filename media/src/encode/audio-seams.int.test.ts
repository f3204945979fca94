/** Audio is continuous across parts, and in sync with the video. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decode, encodeVideo, samplesOf } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import type { Plan } from '../plan/plan.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { audioFrames } from './arguments/frame-ranges.ts'

let long: string
let sandbox: Sandbox
beforeAll(async () => {
  long = await createLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const SAMPLE_RATE = 48_000
/** Eleven periods of 440 Hz. */
const WINDOW_SAMPLES = 1200

/** Phase of a 440 Hz tone in these samples, and its level relative to everything else. */
function toneIn(samples: Float32Array, from: number, length: number) {
  const window = samples.subarray(from, from + length)
  const angle = (at: number) => (2 * Math.PI * 440 * (from + at)) / SAMPLE_RATE
  const sum = (of: (sample: number, at: number) => number) =>
    window.reduce((total, sample, at) => total + of(sample, at), 0)
  const sine = (2 / length) * sum((sample, at) => sample * Math.sin(angle(at)))
  const cosine = (2 / length) * sum((sample, at) => sample * Math.cos(angle(at)))
  const rest = sum(
    (sample, at) => (sample - sine * Math.sin(angle(at)) - cosine * Math.cos(angle(at))) ** 2,
  )
  const power = ((sine ** 2 + cosine ** 2) / 2) * length
  return { phase: Math.atan2(cosine, sine), decibels: 10 * Math.log10(power / rest) }
}

const stepMicroseconds = (samples: Float32Array, seam: number) => {
  const before = toneIn(samples, seam - 2048 - WINDOW_SAMPLES, WINDOW_SAMPLES).phase
  const after = toneIn(samples, seam + 2048, WINDOW_SAMPLES).phase
  return Math.abs(Math.sin(after - before) / (2 * Math.PI * 440)) * 1e6
}

const seamsOf = (plan: Plan) =>
  plan.parts.flatMap(({ tracks }) =>
    tracks
      .filter(({ name, segments }) => name === 'audio' && segments.start > 0)
      .map(({ segments }) =>
        plan.audio ? audioFrames(plan, plan.audio, segments).start * 1024 : 0,
      ),
  )

describe('phase of a tone across the seams of parts', () => {
  /**
   * Maximum at the first seam in microseconds: one sample, or half a millisecond for sources with
   * millisecond timestamps. At the other seams two samples.
   */
  const sources: [string, number, number][] = [
    ['plain.mp4', 21, 21],
    ['cd-rate.mp4', 21, 21],
    ['plain.ts', 21, 21],
    ['plain.webm', 13, 500],
    ['recording.mkv', 21, 500],
  ]
  it.each(sources)('%s', async (name, durationSeconds, firstStepMicrosecondsMax) => {
    const rungs = [rungOf('240p', 64, 36)]
    const options = { durationSeconds, audioStream: 1, rungs, chunkSegments: 1 }
    const plan = planOf(options)
    await using video = await encodeVideo(sandbox, localFile(join(long, name)), plan)
    const samples = await samplesOf(await video.join('audio'))
    const [first = 0, ...others] = seamsOf(plan)
    expect(others.length).toBeGreaterThan(0)
    expect(stepMicroseconds(samples, first)).toBeLessThan(firstStepMicrosecondsMax)
    for (const seam of others) {
      expect(stepMicroseconds(samples, seam)).toBeLessThan(42)
      expect(toneIn(samples, seam - WINDOW_SAMPLES, 2 * WINDOW_SAMPLES).decibels).toBeGreaterThan(
        25,
      )
    }
  })
})

/** Times, in seconds, at which the level rises above half of its maximum. */
function risesOf(levels: readonly number[], perSecond: number): number[] {
  const half = Math.max(...levels) / 2
  return levels.flatMap((level, at) =>
    level > half && (levels[at - 1] ?? 0) <= half ? [at / perSecond] : [],
  )
}

/** Maximum of each millisecond. */
const loudness = (samples: Float32Array) =>
  Array.from({ length: Math.floor(samples.length / 48) }, (_, at) =>
    Math.max(...samples.subarray(at * 48, at * 48 + 48).map(Math.abs)),
  )

describe('audio and video', () => {
  /** When copied, audio starts a few milliseconds before the video, with its encoder's priming samples. */
  const flashing: [string, number][] = [
    ['flashes.mp4', 0],
    ['flashes.mkv', 0.021],
    ['flashes.ts', 0.021333],
  ]
  it.each(flashing)('%s: flash and beep are in sync', async (name, startSeconds) => {
    const rungs = [rungOf('240p', 64, 36)]
    const options = { durationSeconds: 21, audioStream: 1, rungs, chunkSegments: 1 }
    const plan = planOf({ ...options, picture: { startSeconds } })
    await using video = await encodeVideo(sandbox, localFile(join(long, name)), plan)
    const luma = await decode(await video.join('240p'), [
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-vf',
      'scale=1:1',
    ])
    const flashes = risesOf([...luma], 30)
    const beeps = risesOf(loudness(await samplesOf(await video.join('audio'))), 1000)
    expect(flashes).toHaveLength(5)
    const starts = flashes.map((flash) => beeps.find((beep) => beep > flash - 0.5) ?? Number.NaN)
    // The first frame is displayed from the start, whatever its timestamp.
    for (const [index, flash] of [...flashes.entries()].slice(1))
      expect(Math.abs((starts[index] ?? Number.NaN) - flash)).toBeLessThan(0.005)
  })

  it('is silent before the audio starts and after it ends', async () => {
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
})
