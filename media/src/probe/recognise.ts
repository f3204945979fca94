/**
 * What a file is, by its first bytes and nothing else: neither its name nor what FFmpeg would guess. Only what is
 * recognised here is ever shown to FFmpeg, and then as this container alone; text never is.
 */
import type { Container } from './container.ts'
import { findMistake, type Mistake } from './mistakes.ts'

export type Recognised = { readonly kind: 'container'; readonly container: Container } | Mistake

/**
 * How much of a file is looked at: five packets of the longest kind of transport stream, and room
 * for what stands before.
 */
export const HEAD_BYTES = 16_384

export function recognise(head: Buffer): Recognised {
  const container = findContainer(head)
  return container === undefined ? findMistake(head) : { kind: 'container', container }
}

const ascii = (head: Buffer, start: number, end: number) => head.toString('latin1', start, end)
const startsWith = (head: Buffer, ...bytes: number[]) =>
  head.length >= bytes.length && bytes.every((byte, index) => head[index] === byte)

function findContainer(head: Buffer): Container | undefined {
  if (startsWith(head, 0x1a, 0x45, 0xdf, 0xa3)) return ebmlContainer(head)
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'AVI ') return 'avi'
  if (ascii(head, 0, 3) === 'FLV' && head[3] === 1) return 'flv'
  if (ascii(head, 0, 4) === 'OggS' && head[4] === 0) return 'ogg'
  if (startsWith(head, 0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11)) return 'asf'
  if (startsWith(head, 0x00, 0x00, 0x01, 0xba)) return 'mpegps'
  return findMxf(head) ?? boxContainer(head) ?? (isTransportStream(head) ? 'mpegts' : undefined)
}

/** Matroska and WebM differ in a word of their header. */
function ebmlContainer(head: Buffer): Container {
  const header = ascii(head, 0, 64)
  return header.includes('webm') ? 'webm' : 'matroska'
}

/** A run-in of up to 64 KiB is allowed before it, and never seen. */
function findMxf(head: Buffer): Container | undefined {
  const key = [0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01]
  return startsWith(head, ...key) ? 'mxf' : undefined
}

/** Boxes that a film without `ftyp` (QuickTime before 2001, cameras since) may begin with. */
const bareFirstBoxes = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']

/** Pictures in the same kind of boxes: HEIC, AVIF, JPEG 2000 and Canon's raw photos. */
const pictureBrands = [
  'heic',
  'heix',
  'heim',
  'heis',
  'mif1',
  'msf1',
  'avif',
  'jp2 ',
  'jpx ',
  'crx ',
]

/** The smallest box: a length and a name. */
const BOX_HEADER_BYTES = 8

function boxContainer(head: Buffer): Container | undefined {
  if (head.length < BOX_HEADER_BYTES * 2) return undefined
  const size = head.readUInt32BE(0)
  const name = ascii(head, 4, 8)
  // A length of 1 announces a longer one behind the name, 0 means to the end of the file.
  if (size !== 0 && size !== 1 && size < BOX_HEADER_BYTES) return undefined
  if (name === 'ftyp' || name === 'styp') return brandContainer(ascii(head, 8, 12))
  return bareFirstBoxes.includes(name) ? 'quicktime' : undefined
}

function brandContainer(brand: string): Container | undefined {
  if (pictureBrands.includes(brand)) return undefined
  return brand === 'qt  ' ? 'quicktime' : 'mp4'
}

const SYNC_BYTE = 0x47
/** A packet, a packet with a time before it (Blu-ray, AVCHD), a packet with parity behind. */
const PACKET_BYTES = [188, 192, 204]
/**
 * Text with a G in the right places is thinkable; five of them, that exactly, and it is read as a
 * transport stream anyway.
 */
const PACKETS_MIN = 5

function isTransportStream(head: Buffer): boolean {
  return PACKET_BYTES.some((packetBytes) => {
    for (let first = 0; first < packetBytes; first++) {
      if (isSyncedFrom(head, first, packetBytes)) return true
    }
    return false
  })
}

function isSyncedFrom(head: Buffer, first: number, packetBytes: number): boolean {
  for (let packet = 0; packet < PACKETS_MIN; packet++) {
    if (head[first + packet * packetBytes] !== SYNC_BYTE) return false
  }
  return true
}
