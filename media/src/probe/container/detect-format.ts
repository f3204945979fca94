/**
 * Detects the container from the first bytes, without the file name or FFmpeg's detection. FFmpeg only opens files that
 * are detected here, and only as this container; text files are never passed to it.
 */

import { identifyUnsupportedFile, type UnsupportedFile } from '../unsupported-files.ts'
import type { Container } from './container.ts'

export type DetectedFormat = { readonly kind: 'container'; readonly container: Container } | UnsupportedFile

/** Bytes read for the detection: enough for five packets of the longest kind of transport stream. */
export const HEAD_BYTES = 16_384

export function detectFormat(head: Buffer): DetectedFormat {
  const container = findContainer(head)
  return container === undefined ? identifyUnsupportedFile(head) : { kind: 'container', container }
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

/** The DocType in the header distinguishes Matroska and WebM. */
function ebmlContainer(head: Buffer): Container {
  const header = ascii(head, 0, 64)
  return header.includes('webm') ? 'webm' : 'matroska'
}

/** MXF allows a run-in of up to 64 KiB before the header, but files with a run-in do not occur in practice. */
function findMxf(head: Buffer): Container | undefined {
  const key = [0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01]
  return startsWith(head, ...key) ? 'mxf' : undefined
}

/** First boxes of files without `ftyp` (QuickTime before 2001, some cameras). */
const bareFirstBoxes = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']

/** Brands of still images in the box format of MP4: HEIC, AVIF, JPEG 2000 and Canon's raw photos. */
const imageBrands = ['heic', 'heix', 'heim', 'heis', 'mif1', 'msf1', 'avif', 'jp2 ', 'jpx ', 'crx ']

/** Size of the smallest box, which has only a length and a name. */
const BOX_HEADER_BYTES = 8

function boxContainer(head: Buffer): Container | undefined {
  if (head.length < BOX_HEADER_BYTES * 2) return undefined
  const size = head.readUInt32BE(0)
  const name = ascii(head, 4, 8)
  // A box length of 1 means that a 64-bit length follows the name, 0 that the box extends to the end of the file.
  if (size !== 0 && size !== 1 && size < BOX_HEADER_BYTES) return undefined
  if (name === 'ftyp' || name === 'styp') return brandContainer(ascii(head, 8, 12))
  return bareFirstBoxes.includes(name) ? 'quicktime' : undefined
}

function brandContainer(brand: string): Container | undefined {
  if (imageBrands.includes(brand)) return undefined
  return brand === 'qt  ' ? 'quicktime' : 'mp4'
}

const SYNC_BYTE = 0x47
/** Packet sizes of transport streams: plain, with a leading timestamp (Blu-ray, AVCHD), and with trailing parity. */
const PACKET_BYTES = [188, 192, 204]
/** Number of sync bytes that identify a transport stream. Text with the letter G at all their positions is unlikely. */
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
