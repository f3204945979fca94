import { describe, expect, it } from 'vitest'
import { FINGERPRINT_BITS, fingerprintOf } from './fingerprint.rules.ts'

const DIMENSIONS = 384

/** Two vectors with this angle between them, in a random plane. */
function pairAt(angle: number, seed: number): [number[], number[]] {
  const noise = (offset: number) =>
    Array.from(
      { length: DIMENSIONS },
      (_, index) => (Math.sin((index + 1) * (seed + offset) * 12.9898) * 43758.5453) % 1,
    )
  const first = noise(0.1)
  const other = noise(0.7)
  const length = (vector: number[]) => Math.hypot(...vector)
  const unit = first.map((value) => value / length(first))
  const along = other.reduce((sum, value, index) => sum + value * (unit[index] ?? 0), 0)
  const across = other.map((value, index) => value - along * (unit[index] ?? 0))
  const normal = across.map((value) => value / length(across))
  return [unit, unit.map((value, index) => value * Math.cos(angle) + (normal[index] ?? 0) * Math.sin(angle))]
}

const differentBits = (left: string, right: string) => [...left].filter((bit, index) => bit !== right[index]).length

describe('a fingerprint', () => {
  it('has 1,024 bits and does not depend on the length of the vector', () => {
    const [vector] = pairAt(1, 1)
    expect(fingerprintOf(vector)).toMatch(/^[01]{1024}$/)
    expect(fingerprintOf(vector.map((value) => value * 7))).toBe(fingerprintOf(vector))
  })

  it.each([0.1, 0.5, 1, Math.PI / 2, 2.5])('estimates an angle of %f', (angle) => {
    const estimates = Array.from({ length: 20 }, (_, seed) => {
      const [left, right] = pairAt(angle, seed + 1)
      return (differentBits(fingerprintOf(left), fingerprintOf(right)) / FINGERPRINT_BITS) * Math.PI
    })
    const mean = estimates.reduce((sum, value) => sum + value) / estimates.length
    expect(mean).toBeCloseTo(angle, 1)
    // Four standard deviations of one estimate.
    expect(estimates.every((estimate) => Math.abs(estimate - angle) < 0.2)).toBe(true)
  })

  it('does not change between releases, because fingerprints are stored', () => {
    expect(fingerprintOf([1, -2, 3, 0.5]).slice(0, 32)).toMatchInlineSnapshot(`"01100011110110100111010011100101"`)
  })
})
