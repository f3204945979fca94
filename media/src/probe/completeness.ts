/**
 * How large a file must be at the least, by the lengths that it tells itself: one that is smaller
 * was cut off on its way. Nothing but lengths is read; what they span is skipped. Other containers
 * tell no length, or none that is to be relied on.
 */
import type { BlockReader } from '../source/block-reader.ts'
import { type Container, containers } from './container.ts'
import { LONG_HEADER_BYTES, readBox } from './fragments.ts'
import { HEAD_BYTES } from './recognise.ts'
import { readVint } from './vint.ts'

/** Undefined if the file does not tell. It may end later than this, and so may a whole file. */
export async function declaredEnd(
  reader: BlockReader,
  container: Container,
): Promise<number | undefined> {
  const { demuxer } = containers[container]
  if (demuxer === 'mov') return boxesEnd(reader)
  if (demuxer !== 'matroska' && demuxer !== 'avi') return undefined
  const head = await reader.read({ start: 0, end: HEAD_BYTES })
  return demuxer === 'avi' ? riffEnd(head) : segmentEnd(head)
}

/** A film has five or six at the top; each may cost a request. */
const TOP_BOXES_MAX = 32

/**
 * What stands before or between the index and the media. The end of a file in one of them is too
 * early only before both are there.
 */
const lesserBoxes = ['ftyp', 'styp', 'free', 'skip', 'wide', 'pnot', 'pdin', 'uuid', 'udta', 'meta']

/** Of the first box that reaches beyond the end of the file, or of the last one looked at. */
async function boxesEnd(reader: BlockReader): Promise<number | undefined> {
  const missing = new Set(['moov', 'mdat'])
  let at = 0
  for (let count = 0; count < TOP_BOXES_MAX && at < reader.sizeBytes; count++) {
    const header = await reader.read({ start: at, end: at + LONG_HEADER_BYTES })
    // One without a length goes to the end, wherever that is.
    const box = readBox(header, 0, Number.POSITIVE_INFINITY)
    const end = at + (box?.end ?? Number.NaN)
    if (!box || !Number.isSafeInteger(end)) return undefined
    // How many pieces should follow is nowhere told.
    if (box.name === 'moof') return undefined
    if (end > reader.sizeBytes) return isNeeded(box.name, missing) ? end : undefined
    missing.delete(box.name)
    at = end
  }
  return at
}

/** Cameras leave bytes of their own behind the film, which are no boxes and read as one of any length. */
const isNeeded = (name: string, missing: ReadonlySet<string>) =>
  name === 'moov' || name === 'mdat' || (missing.size > 0 && lesserBoxes.includes(name))

const EBML_HEADER_ID_BYTES = 4
const SEGMENT_ID = 0x18538067
const VOID_ID = 0xec
/** Empty space between the header and the segment, which hardly a file has. */
const VOIDS_MAX = 4

/**
 * Of the segment, which is all of a Matroska file but a header. An unknown length reads as none,
 * and so tells nothing.
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

/** What a recorder writes until it knows better. */
const RIFF_LENGTH_UNKNOWN = 0xffff_ffff

/**
 * Of the first chunk; a file of more than a gigabyte may have others behind. Its length should not
 * count the eight bytes that it stands in, but there are writers that put the file's there.
 */
export function riffEnd(head: Buffer): number | undefined {
  if (head.length < 8) return undefined
  const length = head.readUInt32LE(4)
  return length === RIFF_LENGTH_UNKNOWN ? undefined : length
}
