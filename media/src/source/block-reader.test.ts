import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockReader } from './block-reader.ts'
import { type ByteRange, ReadLimitExceeded, type SourceObject, SourceUnreadable } from './source.ts'

const MEBIBYTE = 2 ** 20
const content = Buffer.from(Array.from({ length: 3 * MEBIBYTE + 17 }, (_, at) => (at * 31 + (at >> 8)) & 0xff))

/** An object in memory that records all reads. */
function objectOf(bytes: Buffer) {
  const reads: ByteRange[] = []
  const object: SourceObject = {
    sizeBytes: bytes.length,
    read: async (range) => {
      reads.push(range)
      return (async function* () {
        yield bytes.subarray(range.start, range.end)
      })()
    },
  }
  return { object, reads }
}
const never = new AbortController().signal
const readerOf = (object: SourceObject, bytesMax = 64 * MEBIBYTE) => new BlockReader(object, { bytesMax }, never)

describe('BlockReader', () => {
  it('returns the requested bytes and reads no byte twice', async () => {
    const ranges = fc.array(fc.tuple(fc.nat(content.length), fc.nat(500_000)), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(ranges, async (requests) => {
        const { object, reads } = objectOf(content)
        const reader = readerOf(object)
        for (const [start, length] of requests) {
          const read = await reader.read({ start, end: start + length })
          expect(read.equals(content.subarray(start, start + length))).toBe(true)
        }
        const sorted = reads.toSorted((a, b) => a.start - b.start)
        expect(sorted.every(({ start }, index) => index === 0 || start >= (sorted[index - 1]?.end ?? 0))).toBe(true)
        const bytes = reads.reduce((sum, { start, end }) => sum + end - start, 0)
        expect(reader.costs).toMatchObject({ bytes, requests: reads.length })
      }),
      { numRuns: 50 },
    )
  })

  it('doubles the request size while reading sequentially', async () => {
    const { object, reads } = objectOf(content)
    await readerOf(object).read({ start: 0, end: 3 * MEBIBYTE })
    expect(reads.map(({ start, end }) => (end - start) / 65_536)).toEqual(
      [4, 8, 16, 20.000259399414062].map((n) => expect.closeTo(n, 1)),
    )
  })

  it('does not read further before the next chunk is requested', async () => {
    const { object, reads } = objectOf(content)
    const pieces = readerOf(object).chunks({ start: 0, end: content.length })
    await pieces.next()
    expect(reads).toEqual([{ start: 0, end: 262_144 }])
  })

  it('throws when it reaches its read limit, after reading all bytes up to the limit', async () => {
    const { object } = objectOf(content)
    const reader = readerOf(object, MEBIBYTE)
    await expect(reader.read({ start: 0, end: content.length })).rejects.toThrow(ReadLimitExceeded)
    expect(reader.costs.bytes).toBe(MEBIBYTE)
  })

  it('evicts the least recently used blocks and reads them again', async () => {
    const { object, reads } = objectOf(content)
    const reader = new BlockReader(object, { bytesMax: 64 * MEBIBYTE, cacheBytesMax: MEBIBYTE }, never)
    await reader.read({ start: 0, end: 3 * MEBIBYTE })
    const before = reads.length
    expect(await reader.read({ start: 3 * MEBIBYTE - 65_536, end: 3 * MEBIBYTE })).toHaveLength(65_536)
    expect(reads).toHaveLength(before)
    const again = await reader.read({ start: 0, end: 100 })
    expect(again.equals(content.subarray(0, 100))).toBe(true)
    expect(reads.slice(before)).toEqual([{ start: 0, end: 262_144 }])
  })

  it('reads ahead during sequential reads, and reads no byte twice', async () => {
    const long = Buffer.concat(Array.from({ length: 10 }, () => content))
    const { object, reads } = objectOf(long)
    const limits = { bytesMax: 64 * MEBIBYTE, cacheBytesMax: 16 * MEBIBYTE }
    const reader = new BlockReader(object, limits, never)
    let used = 0
    let runsAhead = 0
    for await (const piece of reader.chunks({ start: 0, end: long.length })) {
      expect(piece.equals(long.subarray(used, used + piece.length))).toBe(true)
      if ((reads.at(-1)?.start ?? 0) > used) runsAhead++
      used += piece.length
    }
    expect(used).toBe(long.length)
    // The reader reads ahead during the second half of nearly every run.
    expect(runsAhead).toBeGreaterThan(long.length / 65_536 / 3)
    expect(reader.costs.bytes).toBe(long.length)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('unavailable'))],
    ['returns too few bytes', () => Promise.resolve((async function* () {})())],
  ])('throws SourceUnreadable if storage %s', async (_, read) => {
    const reader = readerOf({ sizeBytes: 100, read })
    await expect(reader.read({ start: 0, end: 100 })).rejects.toThrow(SourceUnreadable)
  })
})
