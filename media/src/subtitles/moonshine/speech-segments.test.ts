import { describe, expect, it } from 'vitest'
import { type ScoredWindow, segmentSpeech, WINDOW_SAMPLES } from './speech-segments.ts'

const SECOND = 16_000 / WINDOW_SAMPLES

/** Creates windows that contain their number, to check the content of segments. */
async function* scoredWindows(scores: readonly number[]): AsyncGenerator<ScoredWindow> {
  for (const [index, score] of scores.entries()) {
    yield { samples: new Float32Array(WINDOW_SAMPLES).fill(index), score }
  }
}
const windows = (seconds: number, score: number) => Array.from({ length: Math.round(seconds * SECOND) }, () => score)

async function segments(...scores: readonly number[][]) {
  const cut = await Array.fromAsync(segmentSpeech(scoredWindows(scores.flat())))
  return cut.map(({ startSeconds, samples }) => ({
    start: startSeconds,
    end: startSeconds + samples.length / 16_000,
    first: samples[0],
    last: samples.at(-1),
  }))
}

describe('segmentSpeech', () => {
  it('returns no segments for silence and clicks', async () => {
    expect(await segments(windows(30, 0.1))).toEqual([])
    expect(await segments(windows(1, 0), [0.9], windows(2, 0))).toEqual([])
  })

  it('cuts at pauses, with a margin on both sides', async () => {
    const [one, two, ...more] = await segments(
      ...[windows(1, 0.1), windows(2, 0.9), windows(1, 0.1), windows(1, 0.9), windows(1, 0)],
    )
    expect(more).toEqual([])
    expect(one?.start).toBeCloseTo(0.84, 1)
    expect(one?.end).toBeCloseTo(3.15, 1)
    expect(two?.start).toBeCloseTo(3.84, 1)
    expect(two?.end).toBeCloseTo(5.15, 1)
  })

  it('does not cut at short breaths', async () => {
    expect(await segments(windows(1, 0.9), windows(0.15, 0.1), windows(1, 0.9))).toHaveLength(1)
  })

  it('does not cut while the score is between the two thresholds', async () => {
    expect(await segments(windows(1, 0.9), windows(2, 0.4), windows(1, 0.9))).toHaveLength(1)
  })

  it('includes speech at the end of the audio', async () => {
    const [only] = await segments(windows(1, 0), windows(1.5, 0.9))
    expect(only?.end).toBeCloseTo(2.5, 1)
  })

  it('cuts long speech without pauses at the lowest score, and loses no window', async () => {
    const cut = await segments(windows(9, 0.9), [0.6], windows(20, 0.9))
    expect(cut.length).toBeGreaterThan(2)
    expect(cut[0]?.end).toBeCloseTo(9, 1)
    for (const { start, end } of cut) expect(end - start).toBeLessThanOrEqual(12)
    for (const [index, { first = 0 }] of cut.entries()) {
      if (index > 0) expect(first).toBe((cut[index - 1]?.last ?? 0) + 1)
    }
    expect(cut.at(-1)?.end).toBeCloseTo(29, 0)
  })
})
