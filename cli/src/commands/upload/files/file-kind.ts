/**
 * Recognizes files that cannot be video or audio by their first bytes, so that a mistake is reported before the upload.
 * Every other file is uploaded, even if it is unknown here: the service decides, and a later version may support more
 * formats than this one.
 */
import { open } from 'node:fs/promises'

/** Bytes that are read: enough for five packets of a transport stream, and for a safe guess that a file is text. */
const HEAD_BYTES = 4096

/** Returns what the file is if it cannot be video or audio, such as "a text file"; undefined if it can. */
export async function foreignKindOf(path: string): Promise<string | undefined> {
  const head = await readHead(path)
  return head && foreignKind(head)
}

/** Whether the file is an MPEG transport stream. Also true if it cannot be read; the upload then reports the error. */
export async function isTransportStreamFile(path: string): Promise<boolean> {
  const head = await readHead(path)
  return head === undefined || isTransportStream(head)
}

async function readHead(path: string): Promise<Buffer | undefined> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES))
    return buffer.subarray(0, bytesRead)
  } catch {
    return undefined
  }
}

/** Decides by the first bytes. Containers are checked first, because the length of a box can equal any signature. */
export function foreignKind(head: Buffer): string | undefined {
  if (containers.some((text) => startsWith(head, text)) || isTransportStream(head)) return undefined
  const [name, brand] = [latin1(head, 4, 8), latin1(head, 8, 12)]
  if (name === 'ftyp') return imageBrands.includes(brand) ? 'an image (HEIC or AVIF)' : undefined
  if (boxNames.includes(name)) return undefined
  if (startsWith(head, 'RIFF')) return brand === 'WEBP' ? 'a WebP image' : undefined
  const known = signatures.find(([text]) => startsWith(head, text))
  return known?.[1] ?? (isText(head) ? 'a text file' : undefined)
}

const latin1 = (head: Buffer, start: number, end: number) => head.toString('latin1', start, end)

const startsWith = (head: Buffer, text: string) => latin1(head, 0, text.length) === text

/** First bytes of Matroska and WebM, FLV, Ogg, ASF, MPEG program streams, MXF, and uncompressed video. */
const containers = ['\x1aE\xdf\xa3', 'FLV\x01', 'OggS\0', '0&\xb2u', '\0\0\x01\xba', '\x06\x0e+4', 'YUV4MPEG2']

/** First boxes of MP4 and QuickTime files that do not start with `ftyp`. */
const boxNames = ['styp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']

/** Brands of still images that have the same box format as MP4. */
const imageBrands = ['heic', 'heix', 'heim', 'heis', 'mif1', 'avif']

/** First bytes of other files, as Latin-1. The service does not support raw motion JPEG, which starts like a JPEG. */
const signatures: readonly (readonly [text: string, kind: string])[] = [
  ['\xff\xd8\xff', 'a JPEG image'],
  ['\x89PNG\r\n', 'a PNG image'],
  ['II*\0', 'a TIFF image or raw photo'],
  ['MM\0*', 'a TIFF image or raw photo'],
  ['8BPS', 'a Photoshop file'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive or an office document'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an office document'],
  ['Rar!\x1a\x07', 'a RAR archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['\x1f\x8b\x08', 'a gzip archive'],
  ['\xfd7zXZ\0', 'an xz archive'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard archive'],
  ['\x7fELF', 'a program'],
  ['SQLite format 3\0', 'a database'],
]

const SYNC_BYTE = 0x47
/** Packet sizes of transport streams: plain, with a leading timestamp (Blu-ray, AVCHD), and with trailing parity. */
const packetSizes = [188, 192, 204]
/** Number of packets that must start with the sync byte. TypeScript files have the same extensions. */
const PACKETS_MIN = 5

function isTransportStream(head: Buffer): boolean {
  for (const packetBytes of packetSizes)
    for (let first = 0; first < packetBytes; first++) if (isSyncedFrom(head, first, packetBytes)) return true
  return false
}

function isSyncedFrom(head: Buffer, first: number, packetBytes: number): boolean {
  for (let packet = 0; packet < PACKETS_MIN; packet++)
    if (head[first + packet * packetBytes] !== SYNC_BYTE) return false
  return true
}

/** Control characters other than tab, line feed, form feed, carriage return and escape, which occur in text files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const binary = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/

/** A text file is UTF-8 without control characters. */
function isText(head: Buffer): boolean {
  try {
    // `stream`: a character may continue after the head.
    return !binary.test(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }))
  } catch {
    return false
  }
}
