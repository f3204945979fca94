import { describe, expect, it } from 'vitest'
import { cutSpeech, type HeardWindow, WINDOW_SAMPLES } from './speech-pieces.ts'

const SECOND = 16_000 / WINDOW_SAMPLES

/** Each window bears its number, so that one sees what a piece was made of. */
async function* heard(scores: readonly number[]): AsyncGenerator<HeardWindow> {
  for (const [index, score] of scores.entries()) {
    yield { samples: new Float32Array(WINDOW_SAMPLES).fill(index), score }
  }
}
const stretch = (seconds: number, score: number) =>
  Array.from({ length: Math.round(seconds * SECOND) }, () => score)

async function pieces(...scores: readonly number[][]) {
  const cut = await Array.fromAsync(cutSpeech(heard(scores.flat())))
  return cut.map(({ startSeconds, samples }) => ({
    start: startSeconds,
    end: startSeconds + samples.length / 16_000,
    first: samples[0],
    last: samples.at(-1),
  }))
}

describe('cutSpeech', () => {
  it('finds nothing in silence, nor in a click', async () => {
    expect(await pieces(stretch(30, 0.1))).toEqual([])
    expect(await pieces(stretch(1, 0), [0.9], stretch(2, 0))).toEqual([])
  })

  it('cuts at pauses, with a margin on both sides', async () => {
    const [one, two, ...more] = await pieces(
      ...[stretch(1, 0.1), stretch(2, 0.9), stretch(1, 0.1), stretch(1, 0.9), stretch(1, 0)],
    )
    expect(more).toEqual([])
    expect(one?.start).toBeCloseTo(0.84, 1)
    expect(one?.end).toBeCloseTo(3.15, 1)
    expect(two?.start).toBeCloseTo(3.84, 1)
    expect(two?.end).toBeCloseTo(5.15, 1)
  })

  it('does not take a short breath for a pause', async () => {
    expect(await pieces(stretch(1, 0.9), stretch(0.15, 0.1), stretch(1, 0.9))).toHaveLength(1)
  })

  it('does not cut where the score wavers between its two bounds', async () => {
    expect(await pieces(stretch(1, 0.9), stretch(2, 0.4), stretch(1, 0.9))).toHaveLength(1)
  })

  it('hears the last words, though nothing follows them', async () => {
    const [only] = await pieces(stretch(1, 0), stretch(1.5, 0.9))
    expect(only?.end).toBeCloseTo(2.5, 1)
  })

  it('cuts who never pauses where speech is least sure, and loses no window', async () => {
    const cut = await pieces(stretch(9, 0.9), [0.6], stretch(20, 0.9))
    expect(cut.length).toBeGreaterThan(2)
    expect(cut[0]?.end).toBeCloseTo(9, 1)
    for (const { start, end } of cut) expect(end - start).toBeLessThanOrEqual(12)
    for (const [index, { first = 0 }] of cut.entries()) {
      if (index > 0) expect(first).toBe((cut[index - 1]?.last ?? 0) + 1)
    }
    expect(cut.at(-1)?.end).toBeCloseTo(29, 0)
  })
})
