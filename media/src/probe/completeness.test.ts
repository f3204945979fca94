import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockReader } from '../source/block-reader.ts'
import type { SourceObject } from '../source/source.ts'
import { declaredEnd, riffEnd, segmentEnd } from './completeness.ts'
import { containers } from './container.ts'

const never = new AbortController().signal
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** Of these bytes, and zeros up to the size. */
function readerOf(bytes: Buffer, sizeBytes = bytes.length): BlockReader {
  const read: SourceObject['read'] = async ({ start, end }) =>
    (async function* () {
      const piece = Buffer.alloc(end - start)
      bytes.copy(piece, 0, start, end)
      yield piece
    })()
  return new BlockReader({ sizeBytes, read }, { bytesMax: 2 ** 24 }, never)
}

/** A box as its header tells of it, with as much behind it as there is. */
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
const endOfBoxes = (...boxes: readonly Buffer[]) =>
  declaredEnd(readerOf(Buffer.concat(boxes)), 'mp4')
const header = [box('ftyp', 32), box('moov', 100)]

describe('where the boxes end', () => {
  it('is at the end of a whole film', async () => {
    expect(await endOfBoxes(...header, box('mdat', 500))).toBe(632)
  })

  it('is beyond that of one whose media is cut off', async () => {
    expect(await endOfBoxes(...header, box('mdat', 5000, 500))).toBe(5132)
    expect(await endOfBoxes(box('ftyp', 32), box('moov', 100, 50))).toBe(132)
    expect(await endOfBoxes(...header, box('free', 64, 20))).toBe(196)
  })

  it('reads long lengths', async () => {
    expect(await endOfBoxes(...header, longBox('mdat', 2n ** 33n))).toBe(132 + 2 ** 33)
  })

  it.each([
    ['media that goes to the end', [...header, box('mdat', 0, 500)]],
    ['a length that no file has', [...header, longBox('mdat', 2n ** 63n - 1n)]],
    ['pieces', [...header, box('moof', 40), box('mdat', 5000, 500)]],
    ['what a camera left behind', [...header, box('mdat', 500), box('\xff\x12zz', 2 ** 31, 90)]],
    [
      'space at the end, of which nobody misses a part',
      [...header, box('mdat', 99), box('free', 90, 9)],
    ],
    ['a box shorter than its header', [...header, box('mdat', 7, 500)]],
    ['four zeros at the end', [...header, box('mdat', 99), Buffer.alloc(4)]],
  ])('is not told by %s', async (_, boxes) => {
    expect(await endOfBoxes(...boxes)).toBeUndefined()
  })

  it('is found without reading what the boxes hold', async () => {
    const gibibyte = 2 ** 30
    const reader = readerOf(Buffer.concat([box('ftyp', 32), box('mdat', gibibyte, 16)]), gibibyte)
    expect(await declaredEnd(reader, 'mp4')).toBe(32 + gibibyte)
    expect(reader.costs.requests).toBe(1)
  })

  it('is given up after 32 boxes', async () => {
    const many = Array.from({ length: 32 }, () => box('free', 8))
    expect(await endOfBoxes(...many, box('mdat', 5000, 500))).toBe(256)
  })
})

const ebml = '1a45dfa3 84 42868101'

describe('segmentEnd', () => {
  it.each([
    ['a short length', `${ebml} 18538067 4400`, 15 + 0x400],
    ['a long one', `${ebml} 18538067 0100000000001000`, 21 + 0x1000],
    ['one behind empty space', `${ebml} ec820000 18538067 90`, 18 + 0x10],
    ['an unknown one is as good as none', `${ebml} 18538067 01ffffffffffffff`, 21],
  ])('%s', (_, bytes, end) => {
    expect(segmentEnd(hex(bytes))).toBe(end)
  })

  it('is unknown where no segment begins, and of a length that no file has', () => {
    expect(segmentEnd(hex(`${ebml} 1654ae6b 84`))).toBeUndefined()
    expect(segmentEnd(hex(`${ebml} 18538067 01fffffffffffffe`))).toBeUndefined()
  })
})

describe('riffEnd', () => {
  it('is that of the first chunk, with or without its first eight bytes', () => {
    expect(riffEnd(hex('52494646 00100000 41564920'))).toBe(4096)
  })

  it('is unknown when the recorder never came back', () => {
    expect(riffEnd(hex('52494646 ffffffff 41564920'))).toBeUndefined()
  })
})

const names = Object.keys(containers) as (keyof typeof containers)[]

it('never fails, whatever the bytes are', async () => {
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const starts = fc.constantFrom('', ebml, `${ebml} 18538067`, '00000010 66747970', '52494646')
  await fc.assert(
    fc.asyncProperty(starts, noise, fc.constantFrom(...names), async (start, rest, container) => {
      const end = await declaredEnd(readerOf(Buffer.concat([hex(start), rest])), container)
      expect(end === undefined || Number.isSafeInteger(end)).toBe(true)
    }),
  )
})
