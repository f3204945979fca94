/**
 * Minimum size of a file according to the lengths that it declares: a smaller file was truncated. Only lengths are
 * read; content is skipped. Containers other than MP4, Matroska and AVI declare no length, or no reliable one.
 */
import type { BlockReader } from '../../source/block-reader.ts'
import { type Container, containers } from './container.ts'
import { HEAD_BYTES } from './detect-format.ts'
import { LONG_HEADER_BYTES, readBox } from './fragments.ts'
import { readVint } from './vint.ts'

/** Returns the minimum size, or undefined if the file declares no length. A complete file may be larger. */
export async function declaredEnd(reader: BlockReader, container: Container): Promise<number | undefined> {
  const { demuxer } = containers[container]
  if (demuxer === 'mov') return boxesEnd(reader)
  if (demuxer !== 'matroska' && demuxer !== 'avi') return undefined
  const head = await reader.read({ start: 0, end: HEAD_BYTES })
  return demuxer === 'avi' ? riffEnd(head) : segmentEnd(head)
}

/** Maximum number of top-level boxes that are read. A file has five or six; reading each box may cost a request. */
const TOP_BOXES_MAX = 32

/**
 * Boxes before or between `moov` and `mdat`. If the file ends inside one of them, it is truncated
 * only if `moov` or `mdat` is still missing.
 */
const optionalBoxes = ['ftyp', 'styp', 'free', 'skip', 'wide', 'pnot', 'pdin', 'uuid', 'udta', 'meta']

/** End of the first box that extends beyond the end of the file, or of the last box checked. */
async function boxesEnd(reader: BlockReader): Promise<number | undefined> {
  const missing = new Set(['moov', 'mdat'])
  let at = 0
  for (let count = 0; count < TOP_BOXES_MAX && at < reader.sizeBytes; count++) {
    const header = await reader.read({ start: at, end: at + LONG_HEADER_BYTES })
    // A box without a length extends to the end of the file.
    const box = readBox(header, 0, Number.POSITIVE_INFINITY)
    const end = at + (box?.end ?? Number.NaN)
    if (!box || !Number.isSafeInteger(end)) return undefined
    // A fragmented file does not declare the number of its fragments.
    if (box.name === 'moof') return undefined
    if (end > reader.sizeBytes) return isNeeded(box.name, missing) ? end : undefined
    missing.delete(box.name)
    at = end
  }
  return at
}

/**
 * Whether a file that ends inside this box is truncated. Cameras append bytes that are not boxes, but look like a
 * box of arbitrary length.
 */
const isNeeded = (name: string, missing: ReadonlySet<string>) =>
  name === 'moov' || name === 'mdat' || (missing.size > 0 && optionalBoxes.includes(name))

const EBML_HEADER_ID_BYTES = 4
const SEGMENT_ID = 0x18538067
const VOID_ID = 0xec
/** Maximum number of void elements between the header and the segment, which are rare. */
const VOIDS_MAX = 4

/**
 * End of the segment, which is everything but the header of a Matroska file. An unknown length is
 * read as zero, so it never exceeds the file's size.
 */
export function segmentEnd(head: Buffer): number | undefined {
  let at = elementEnd(head, EBML_HEADER_ID_BYTES)
  for (let count = 0; count < VOIDS_MAX && at !== undefined && head[at] === VOID_ID; count++) {
    at = elementEnd(head, at + 1)
  }
  if (at === undefined || at + 4 > head.length || head.readUInt32BE(at) !== SEGMENT_ID) {
    return undefined
  }
  return elementEnd(head, at + 4)
}

function elementEnd(head: Buffer, sizeAt: number): number | undefined {
  const size = readVint(head, sizeAt)
  const end = size ? size.next + size.value : Number.NaN
  return Number.isSafeInteger(end) ? end : undefined
}

/** Placeholder that recorders write until the length is known. */
const RIFF_LENGTH_UNKNOWN = 0xffff_ffff

/**
 * End of the first chunk of an AVI file; files larger than a gigabyte may have more chunks. The length of a chunk
 * should not include its eight-byte header, but some writers store the size of the file.
 */
export function riffEnd(head: Buffer): number | undefined {
  if (head.length < 8) return undefined
  const length = head.readUInt32LE(4)
  return length === RIFF_LENGTH_UNKNOWN ? undefined : length
}
