/** Checks that audio is continuous across parts, and in sync with the video. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { audioFrames } from '../src/encode/arguments/frame-ranges.ts'
import type { Plan } from '../src/plan/plan.ts'
import type { Sandbox } from '../src/sandbox/sandbox.ts'
import { localFile } from '../src/source/source.ts'
import { decode, encodeVideo, samplesOf } from './encoded-video.ts'
import { planOf, rungOf } from './plans.ts'

const SAMPLE_RATE = 48_000
/** Number of samples in eleven periods of 440 Hz. */
const WINDOW_SAMPLES = 1200

/** Phase of a 440 Hz tone in these samples, and its level relative to everything else. */
function toneIn(samples: Float32Array, from: number, length: number) {
  const window = samples.subarray(from, from + length)
  const angle = (at: number) => (2 * Math.PI * 440 * (from + at)) / SAMPLE_RATE
  const sum = (of: (sample: number, at: number) => number) =>
    window.reduce((total, sample, at) => total + of(sample, at), 0)
  const sine = (2 / length) * sum((sample, at) => sample * Math.sin(angle(at)))
  const cosine = (2 / length) * sum((sample, at) => sample * Math.cos(angle(at)))
  const rest = sum((sample, at) => (sample - sine * Math.sin(angle(at)) - cosine * Math.cos(angle(at))) ** 2)
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
      .map(({ segments }) => (plan.audio ? audioFrames(plan, plan.audio, segments).start * 1024 : 0)),
  )

/**
 * Sources with their duration, and the maximum time shift of the audio at the first seam in microseconds: one sample,
 * or half a millisecond for sources with millisecond timestamps. At the other seams, the maximum is two samples.
 */
export const seamCases = {
  'plain.mp4': { seconds: 21, firstStepMicrosecondsMax: 21 },
  'cd-rate.mp4': { seconds: 21, firstStepMicrosecondsMax: 21 },
  'plain.ts': { seconds: 21, firstStepMicrosecondsMax: 21 },
  'plain.webm': { seconds: 13, firstStepMicrosecondsMax: 500 },
  'recording.mkv': { seconds: 21, firstStepMicrosecondsMax: 500 },
} as const

export type SeamCase = keyof typeof seamCases

/** Checks the phase of a tone across the seams of parts; `directory` has the sources. */
export async function expectContinuousTone(sandbox: Sandbox, directory: string, name: SeamCase): Promise<void> {
  const { seconds: durationSeconds, firstStepMicrosecondsMax } = seamCases[name]
  const rungs = [rungOf('240p', 64, 36)]
  const options = { durationSeconds, audioStream: 1, rungs, chunkSegments: 1 }
  const plan = planOf(options)
  await using video = await encodeVideo(sandbox, localFile(join(directory, name)), plan)
  const samples = await samplesOf(await video.join('audio'))
  const [first = 0, ...others] = seamsOf(plan)
  expect(others.length).toBeGreaterThan(0)
  expect(stepMicroseconds(samples, first)).toBeLessThan(firstStepMicrosecondsMax)
  for (const seam of others) {
    expect(stepMicroseconds(samples, seam)).toBeLessThan(42)
    expect(toneIn(samples, seam - WINDOW_SAMPLES, 2 * WINDOW_SAMPLES).decibels).toBeGreaterThan(25)
  }
}

/** Times, in seconds, at which the level rises above half of its maximum. */
function risesOf(levels: readonly number[], perSecond: number): number[] {
  const half = Math.max(...levels) / 2
  return levels.flatMap((level, at) => (level > half && (levels[at - 1] ?? 0) <= half ? [at / perSecond] : []))
}

/** Returns the peak amplitude of each millisecond (48 samples at 48 kHz). */
export const loudness = (samples: Float32Array) =>
  Array.from({ length: Math.floor(samples.length / 48) }, (_, at) =>
    Math.max(...samples.subarray(at * 48, at * 48 + 48).map(Math.abs)),
  )

/**
 * Sources with flashes, and the start of the video in seconds. If audio is copied, it starts a few milliseconds
 * before the video, with the priming samples of its encoder.
 */
export const flashCases = {
  'flashes.mp4': 0,
  'flashes.mkv': 0.021,
  'flashes.ts': 0.021333,
} as const

export type FlashCase = keyof typeof flashCases

/** Checks that each flash starts at the same time as its beep. */
export async function expectInSync(sandbox: Sandbox, directory: string, name: FlashCase): Promise<void> {
  const startSeconds = flashCases[name]
  const rungs = [rungOf('240p', 64, 36)]
  const options = { durationSeconds: 21, audioStream: 1, rungs, chunkSegments: 1 }
  const plan = planOf({ ...options, picture: { startSeconds } })
  await using video = await encodeVideo(sandbox, localFile(join(directory, name)), plan)
  const luma = await decode(await video.join('240p'), ['-f', 'rawvideo', '-pix_fmt', 'gray', '-vf', 'scale=1:1'])
  const flashes = risesOf([...luma], 30)
  const beeps = risesOf(loudness(await samplesOf(await video.join('audio'))), 1000)
  expect(flashes).toHaveLength(5)
  const starts = flashes.map((flash) => beeps.find((beep) => beep > flash - 0.5) ?? Number.NaN)
  // The first flash is not checked: the first frame is displayed from the start, even if its timestamp is later.
  for (const [index, flash] of [...flashes.entries()].slice(1))
    expect(Math.abs((starts[index] ?? Number.NaN) - flash)).toBeLessThan(0.005)
}
