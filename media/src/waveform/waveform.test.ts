import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planOf } from '../../testing/plans.ts'
import { findPartAudio } from '../encode/part-tracks.ts'
import { joinPeaks, PEAKS_PER_SECOND, peaksOf } from './peaks.ts'
import { waveformOf, writeWaveform } from './waveform.ts'

const ntsc = { numerator: 30_000, denominator: 1001 }
const plan = planOf({ durationSeconds: 61.3, frameRate: ntsc, audioStream: 1 })
const SAMPLES = 48_000 * 65
const PEAK_SAMPLES = 48_000 / PEAKS_PER_SECOND

/** The peaks of each part, if the decoded audio of the whole video is `sampleAt`, on both channels. */
const partsOf = (sampleAt: (index: number) => number) =>
  plan.parts.flatMap((part) => {
    const partAudio = findPartAudio(plan, part)
    const segments = part.tracks.find(({ name }) => name === 'audio')?.segments
    if (!partAudio || !segments) return []
    const { start, end } = partAudio.frames
    const samples = Int16Array.from({ length: (end - start) * 1024 * 2 }, (_, index) =>
      sampleAt(start * 1024 + Math.floor(index / 2)),
    )
    return [{ firstSegment: segments.start, peaks: peaksOf(Buffer.from(samples.buffer), partAudio) }]
  })

it('a loud sample appears at its time, and only there, in whichever part it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 61 * 48_000 }), (loud) => {
      const joined = joinPeaks(
        plan,
        partsOf((index) => (index === loud ? -32_768 : 0)),
      )
      expect(joined).toHaveLength(1226)
      expect([...joined.entries()].filter(([, peak]) => peak > 0)).toEqual([[Math.floor(loud / PEAK_SAMPLES), 255]])
    }),
    { numRuns: 20 },
  )
})

it('the peaks of the parts together are those of the whole audio', () => {
  const whole = Int16Array.from({ length: SAMPLES }, (_, index) => ((index * 7919) % 65_536) - 32_768)
  const expected = Array.from({ length: 1226 }, (_, point) => {
    const samples = whole.subarray(point * PEAK_SAMPLES, (point + 1) * PEAK_SAMPLES)
    return Math.min(255, Math.round((samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0) * 255) / 32_768))
  })
  // The last point may contain audio after the end of the video.
  const joined = joinPeaks(
    plan,
    partsOf((index) => whole[index] ?? 0),
  )
  expect([...joined].slice(0, -1)).toEqual(expected.slice(0, -1))
})

it('a part whose peaks are missing is silent', () => {
  const [, ...parts] = partsOf(() => 8000)
  const joined = joinPeaks(plan, parts)
  expect(joined[0]).toBe(0)
  expect(joined.at(-2)).toBe(62)
})

it('a waveform has levels of a quarter of the points each, down to a thousand', () => {
  const peaks = Uint8Array.from({ length: 4400 }, (_, index) => index % 256)
  const file = waveformOf(peaks)
  expect([...file.subarray(0, 2)]).toEqual([1, 3])
  expect([file.readUInt32LE(2), file.readUInt32LE(6), file.readUInt32LE(10)]).toEqual([275, 1100, 4400])
  expect(file.subarray(14 + 275 + 1100)).toEqual(Buffer.from(peaks))
  expect([...file.subarray(14 + 275, 14 + 275 + 3)]).toEqual([3, 7, 11])
  expect([...file.subarray(14, 14 + 2)]).toEqual([15, 31])
})

it('the waveform of a short video has one level', () => {
  expect([...waveformOf(Uint8Array.of(1, 2))]).toEqual([1, 1, 2, 0, 0, 0, 1, 2])
})

it('the waveform of two hours of speech takes less than 200 kB', async () => {
  const long = planOf({ durationSeconds: 7200, audioStream: 1 })
  // Loud and quiet syllables, with noise.
  const peaks = Uint8Array.from({ length: 144_000 }, (_, index) => {
    const noise = (index * 2_654_435_761) % 32
    return index % 60 < 12 ? noise / 16 : 40 + noise + ((index * 31) % 97)
  })
  expect((await writeWaveform(long, [{ firstSegment: 0, peaks }])).length).toBeLessThan(200_000)
})
