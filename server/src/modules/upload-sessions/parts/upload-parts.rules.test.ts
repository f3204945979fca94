import { uploadSessions as contract } from '@reelkeep/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertAllArrived, assertFits, assertSameFile, type PartPlan, partOf, planParts } from './upload-parts.rules.ts'

const MEBIBYTE = 1024 ** 2
const { OBJECT_BYTES_MAX, PARTS_MAX } = contract

/** Minimum size of a part. Storage rejects a smaller one unless it is the last. */
const STORAGE_PART_BYTES_MIN = 5 * MEBIBYTE

/** Any size that storage accepts, often next to a boundary. */
const fileBytes = fc.oneof(
  fc.integer({ min: 1, max: OBJECT_BYTES_MAX }),
  fc.integer({ min: 1, max: 64 * MEBIBYTE }),
  fc
    .tuple(fc.integer({ min: 1, max: PARTS_MAX }), fc.integer({ min: 1, max: 525 }))
    .chain(([parts, mebibytes]) => fc.constantFrom(-1, 0, 1).map((beside) => parts * mebibytes * MEBIBYTE + beside))
    .filter((bytes) => bytes >= 1 && bytes <= OBJECT_BYTES_MAX),
)

const numbersOf = ({ count }: PartPlan) => Array.from({ length: count }, (_, index) => index + 1)
const partsOf = (plan: PartPlan) => numbersOf(plan).map((number) => partOf(plan, number))

describe('planParts', () => {
  it('divides a file of any size into parts that storage accepts and that add up to the file', () => {
    fc.assert(
      fc.property(fileBytes, (bytes) => {
        const plan = planParts(bytes)
        expect(plan.count).toBeGreaterThanOrEqual(1)
        expect(plan.count).toBeLessThanOrEqual(PARTS_MAX)
        const sizes = partsOf(plan).map((part) => part.bytes)
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes)
        const last = sizes.pop() ?? 0
        expect(last).toBeGreaterThanOrEqual(1)
        expect(last).toBeLessThanOrEqual(plan.partBytes)
        expect(new Set(sizes)).toEqual(new Set(sizes.length > 0 ? [plan.partBytes] : []))
        expect(plan.partBytes).toBeGreaterThanOrEqual(STORAGE_PART_BYTES_MIN)
      }),
      { numRuns: 200 },
    )
  })

  it('returns the same plan for the same size', () => {
    fc.assert(
      fc.property(fileBytes, fileBytes, (bytes, others) => {
        const before = planParts(bytes)
        planParts(others)
        expect(planParts(bytes)).toEqual(before)
      }),
    )
  })

  it.each([
    ['one byte', 1, 16, 1],
    ['a whole part', 16 * MEBIBYTE, 16, 1],
    ['a byte more than a part', 16 * MEBIBYTE + 1, 16, 2],
    ['the largest file with parts of 16 MiB', PARTS_MAX * 16 * MEBIBYTE, 16, PARTS_MAX],
    ['the smallest file with larger parts', PARTS_MAX * 16 * MEBIBYTE + 1, 17, 9412],
    ['5 TiB', OBJECT_BYTES_MAX, 525, 9987],
  ])('plans the parts for %s', (_, bytes, mebibytes, count) => {
    expect(planParts(bytes)).toEqual({ fileBytes: bytes, partBytes: mebibytes * MEBIBYTE, count })
  })

  it('rejects a part after the last one and names the field', () => {
    const plan = planParts(16 * MEBIBYTE + 1)
    expect(partOf(plan, 2)).toEqual({ number: 2, bytes: 1 })
    expect(() => partOf(plan, 3)).toThrow('Part 3 does not exist')
    expect(() => partOf(plan, 3)).toThrow(
      expect.objectContaining({
        code: 'part_out_of_range',
        violations: [expect.objectContaining({ field: 'numbers' })],
      }),
    )
  })
})

describe('the file of a session', () => {
  it('must have the same size in every request', () => {
    expect(() => assertSameFile(1000, 1000)).not.toThrow()
    expect(() => assertSameFile(1000, 1001)).toThrow('a file of 1000 bytes')
  })

  it('must not be larger than the limit of the session', () => {
    expect(() => assertFits(1000, 1000)).not.toThrow()
    expect(() => assertFits(1001, 1000)).toThrow('at most 1000 bytes')
  })
})

describe('assertAllArrived', () => {
  const plan = planParts(3 * 16 * MEBIBYTE + 5)
  const parts = partsOf(plan)
  const without = (...numbers: number[]) => parts.filter(({ number }) => !numbers.includes(number))

  it('accepts all parts with their sizes, in any order', () => {
    expect(() => assertAllArrived(plan, parts)).not.toThrow()
    expect(() => assertAllArrived(plan, parts.toReversed())).not.toThrow()
  })

  it('names the missing parts', () => {
    expect(() => assertAllArrived(plan, [])).toThrow('4 of 4 parts are missing: 1, 2, 3, 4.')
    expect(() => assertAllArrived(plan, without(1, 3))).toThrow('2 of 4 parts are missing: 1, 3.')
    expect(() => assertAllArrived(plan, without(4))).toThrow('1 of 4 parts is missing: 4.')
    expect(() => assertAllArrived(plan, without(4))).toThrow(expect.objectContaining({ code: 'upload_not_arrived' }))
  })

  it('treats a part with a wrong size as missing, also the last one', () => {
    for (const [number, bytes] of [
      [2, 16 * MEBIBYTE - 1],
      [2, 16 * MEBIBYTE + 1],
      [4, 16 * MEBIBYTE],
      [4, 0],
    ] as const) {
      const arrived = [...without(number), { number, bytes }]
      expect(() => assertAllArrived(plan, arrived)).toThrow(`is missing: ${number}.`)
    }
  })

  it('names at most ten missing parts and says if there are more', () => {
    const [ten, eleven] = [planParts(160 * MEBIBYTE), planParts(176 * MEBIBYTE)]
    expect(() => assertAllArrived(ten, [])).toThrow('missing: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10. Send')
    expect(() => assertAllArrived(eleven, [])).toThrow('11 of 11 parts are missing')
    expect(() => assertAllArrived(eleven, [])).toThrow('8, 9, 10 and more. Send')
  })

  it('ignores parts that do not belong to the file', () => {
    const stray = { number: 5, bytes: 16 * MEBIBYTE }
    expect(() => assertAllArrived(plan, [...without(2), stray])).toThrow('is missing: 2.')
  })

  it('counts exactly the missing parts', () => {
    const sent = fc.subarray(parts)
    fc.assert(
      fc.property(sent, (arrived) => {
        const lacking = parts.length - arrived.length
        const attempt = () => assertAllArrived(plan, arrived)
        if (lacking === 0) expect(attempt).not.toThrow()
        else expect(attempt).toThrow(`${lacking} of 4 parts ${lacking === 1 ? 'is' : 'are'} missing`)
      }),
    )
  })
})
