/** Decrypts one sample according to Common Encryption (ISO/IEC 23001-7). */
import { createDecipheriv } from 'node:crypto'
import type { EncryptionScheme } from './encryption.ts'

const BLOCK_BYTES = 16

/** Encryption parameters in the header of a track. */
export type EncryptedTrack = {
  readonly scheme: EncryptionScheme
  /** Encrypted and skipped blocks of the repeating pattern; if one is 0, all blocks are encrypted. */
  readonly cryptBlocks: number
  readonly skipBlocks: number
  readonly kid: Buffer
  /** Length of each sample's IV; 0 if all samples share a constant IV. */
  readonly ivBytes: number
  readonly constantIv: Buffer
}

/** Clear bytes followed by encrypted bytes; a sample consists of one or more subsamples. */
export type Subsample = { readonly clearBytes: number; readonly encryptedBytes: number }

export type EncryptedSample = {
  readonly bytes: Buffer
  readonly iv: Buffer
  readonly subsamples: readonly Subsample[]
}

export function decryptSample(track: EncryptedTrack, key: Buffer, sample: EncryptedSample): Buffer {
  const decrypted = Buffer.from(sample.bytes)
  const encrypted = encryptedRanges(decrypted, sample.subsamples)
  if (track.scheme === 'cenc') {
    // With `cenc`, one key stream encrypts all encrypted bytes of a sample.
    replaceAll(encrypted, (bytes) => decrypt('aes-128-ctr', key, padded(sample.iv), bytes))
    return decrypted
  }
  // With `cbcs`, each subsample starts again with the constant IV.
  for (const part of encrypted) {
    replaceAll(blocksOf(part, track), (bytes) => decrypt('aes-128-cbc', key, track.constantIv, bytes))
  }
  return decrypted
}

function encryptedRanges(sample: Buffer, subsamples: readonly Subsample[]): Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const { clearBytes, encryptedBytes } of subsamples) {
    at += clearBytes
    if (at + encryptedBytes > sample.length) throw new Error('the sample is shorter than its subsamples')
    parts.push(sample.subarray(at, at + encryptedBytes))
    at += encryptedBytes
  }
  return parts
}

/** Returns the encrypted blocks of a subsample. A trailing partial block is not encrypted. */
function blocksOf(part: Buffer, { cryptBlocks, skipBlocks }: EncryptedTrack): Buffer[] {
  const whole = part.length - (part.length % BLOCK_BYTES)
  if (cryptBlocks === 0 || skipBlocks === 0) return [part.subarray(0, whole)]
  const blocks: Buffer[] = []
  const [crypt, all] = [cryptBlocks * BLOCK_BYTES, (cryptBlocks + skipBlocks) * BLOCK_BYTES]
  for (let at = 0; at < whole; at += all) blocks.push(part.subarray(at, Math.min(whole, at + crypt)))
  return blocks
}

/** Changes byte ranges in place: `change` receives and returns the concatenated bytes of all ranges. */
function replaceAll(parts: readonly Buffer[], change: (bytes: Buffer) => Buffer): void {
  const changed = change(Buffer.concat(parts))
  let at = 0
  for (const part of parts) at += changed.copy(part, 0, at, at + part.length)
}

function decrypt(cipher: string, key: Buffer, iv: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

/** An IV of eight bytes is the upper half of the counter block; the lower half counts blocks from 0. */
const padded = (iv: Buffer) => Buffer.concat([iv, Buffer.alloc(BLOCK_BYTES - iv.length)])
