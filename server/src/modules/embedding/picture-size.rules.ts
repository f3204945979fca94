import type { Size } from './embedding.rules.ts'

/** The first bytes of a JPEG file, which have its size: the tables before it take up less than 1 kB. */
export const HEADER_BYTES = 4096

const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Reads the size of a JPEG picture from its first bytes; undefined if they do not contain it. */
export function jpegSize(bytes: Buffer): Size | undefined {
  // After the start of the image, each segment has a marker and the number of bytes that follow it.
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return undefined
    if (isFrameHeader(bytes[at + 1] ?? 0)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
  }
  return undefined
}
