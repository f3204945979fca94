import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockReader } from '../../source/block-reader.ts'
import type { SourceObject } from '../../source/source.ts'
import { declaredEnd, riffEnd, segmentEnd } from './completeness.ts'
import { containers } from './container.ts'

const never = new AbortController().signal
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** A reader of a file with these bytes, followed by zeros up to `sizeBytes`. */
function readerOf(bytes: Buffer, sizeBytes = bytes.length): BlockReader {
  const read: SourceObject['read'] = async ({ start, end }) =>
    (async function* () {
      const chunk = Buffer.alloc(end - start)
      bytes.copy(chunk, 0, start, end)
      yield chunk
    })()
  return new BlockReader({ sizeBytes, read }, { bytesMax: 2 ** 24 }, never)
}

/** A box with this declared length, of which only `present` bytes exist. */
function box(name: string, length: number, present = length): Buffer {
  const bytes = Buffer.alloc(present)
  bytes.writeUInt32BE(length)
  bytes.write(name, 4, 'latin1')
  return bytes
}
function longBox(name: string, length: bigint): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(1)
  bytes.write(name, 4, 'latin1')
  bytes.writeBigUInt64BE(length, 8)
  return bytes
}
const endOfBoxes = (...boxes: readonly Buffer[]) => declaredEnd(readerOf(Buffer.concat(boxes)), 'mp4')
const header = [box('ftyp', 32), box('moov', 100)]

describe('declaredEnd of an MP4', () => {
  it('is the size of a complete file', async () => {
    expect(await endOfBoxes(...header, box('mdat', 500))).toBe(632)
  })

  it('is larger than a truncated file', async () => {
    expect(await endOfBoxes(...header, box('mdat', 5000, 500))).toBe(5132)
    expect(await endOfBoxes(box('ftyp', 32), box('moov', 100, 50))).toBe(132)
    expect(await endOfBoxes(...header, box('free', 64, 20))).toBe(196)
  })

  it('reads 64-bit lengths', async () => {
    expect(await endOfBoxes(...header, longBox('mdat', 2n ** 33n))).toBe(132 + 2 ** 33)
  })

  it.each([
    ['an mdat box that extends to the end', [...header, box('mdat', 0, 500)]],
    ['an impossibly large length', [...header, longBox('mdat', 2n ** 63n - 1n)]],
    ['fragments', [...header, box('moof', 40), box('mdat', 5000, 500)]],
    ['trailing bytes of a camera', [...header, box('mdat', 500), box('\xff\x12zz', 2 ** 31, 90)]],
    ['truncated free space at the end', [...header, box('mdat', 99), box('free', 90, 9)]],
    ['a box shorter than its header', [...header, box('mdat', 7, 500)]],
    ['four zeros at the end', [...header, box('mdat', 99), Buffer.alloc(4)]],
  ])('is undefined for %s', async (_, boxes) => {
    expect(await endOfBoxes(...boxes)).toBeUndefined()
  })

  it('does not read the content of the boxes', async () => {
    const gibibyte = 2 ** 30
    const reader = readerOf(Buffer.concat([box('ftyp', 32), box('mdat', gibibyte, 16)]), gibibyte)
    expect(await declaredEnd(reader, 'mp4')).toBe(32 + gibibyte)
    expect(reader.costs.requests).toBe(1)
  })

  it('stops after 32 boxes', async () => {
    const many = Array.from({ length: 32 }, () => box('free', 8))
    expect(await endOfBoxes(...many, box('mdat', 5000, 500))).toBe(256)
  })
})

const ebml = '1a45dfa3 84 42868101'

describe('segmentEnd', () => {
  it.each([
    ['reads a short length', `${ebml} 18538067 4400`, 15 + 0x400],
    ['reads a long length', `${ebml} 18538067 0100000000001000`, 21 + 0x1000],
    ['skips a void element', `${ebml} ec820000 18538067 90`, 18 + 0x10],
    ['treats an unknown length as zero', `${ebml} 18538067 01ffffffffffffff`, 21],
  ])('%s', (_, bytes, end) => {
    expect(segmentEnd(hex(bytes))).toBe(end)
  })

  it('is undefined without a segment, and for an impossibly large length', () => {
    expect(segmentEnd(hex(`${ebml} 1654ae6b 84`))).toBeUndefined()
    expect(segmentEnd(hex(`${ebml} 18538067 01fffffffffffffe`))).toBeUndefined()
  })
})

describe('riffEnd', () => {
  it('is the length of the first chunk, whether or not it includes its eight-byte header', () => {
    expect(riffEnd(hex('52494646 00100000 41564920'))).toBe(4096)
  })

  it('is undefined if the recorder never wrote the length', () => {
    expect(riffEnd(hex('52494646 ffffffff 41564920'))).toBeUndefined()
  })
})

const names = Object.keys(containers) as (keyof typeof containers)[]

it('declaredEnd never throws, whatever the bytes are', async () => {
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const starts = fc.constantFrom('', ebml, `${ebml} 18538067`, '00000010 66747970', '52494646')
  await fc.assert(
    fc.asyncProperty(starts, noise, fc.constantFrom(...names), async (start, rest, container) => {
      const end = await declaredEnd(readerOf(Buffer.concat([hex(start), rest])), container)
      expect(end === undefined || Number.isSafeInteger(end)).toBe(true)
    }),
  )
})
