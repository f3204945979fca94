/** Takes the encryption off one sample, as Common Encryption (ISO/IEC 23001-7) has it. */
import { createDecipheriv } from 'node:crypto'
import type { EncryptionScheme } from './encryption.ts'

const BLOCK_BYTES = 16

/** How the header of a track says that it is encrypted. */
export type SealedTrack = {
  readonly scheme: EncryptionScheme
  /** Of so many blocks in a row the first are encrypted, and then some are not. None: all are. */
  readonly cryptBlocks: number
  readonly skipBlocks: number
  readonly kid: Buffer
  /** Bytes of the vector that each sample brings; 0 if all have the same. */
  readonly ivBytes: number
  readonly constantIv: Buffer
}

/** Bytes of a sample, in turns: some in the clear, some not. */
export type Stretch = { readonly clearBytes: number; readonly sealedBytes: number }

export type SealedSample = {
  readonly bytes: Buffer
  readonly iv: Buffer
  readonly stretches: readonly Stretch[]
}

export function openSample(track: SealedTrack, key: Buffer, sample: SealedSample): Buffer {
  const opened = Buffer.from(sample.bytes)
  const sealed = sealedParts(opened, sample.stretches)
  if (track.scheme === 'cenc') {
    // One stream for all that is encrypted of a sample.
    replaceAll(sealed, (bytes) => decrypt('aes-128-ctr', key, padded(sample.iv), bytes))
    return opened
  }
  // Each stretch begins anew with the vector.
  for (const part of sealed) {
    replaceAll(blocksOf(part, track), (bytes) =>
      decrypt('aes-128-cbc', key, track.constantIv, bytes),
    )
  }
  return opened
}

function sealedParts(sample: Buffer, stretches: readonly Stretch[]): Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const { clearBytes, sealedBytes } of stretches) {
    at += clearBytes
    if (at + sealedBytes > sample.length) throw new Error('A sample shorter than it says')
    parts.push(sample.subarray(at, at + sealedBytes))
    at += sealedBytes
  }
  return parts
}

/** A rest that is no whole block is in the clear. */
function blocksOf(part: Buffer, { cryptBlocks, skipBlocks }: SealedTrack): Buffer[] {
  const whole = part.length - (part.length % BLOCK_BYTES)
  if (cryptBlocks === 0 || skipBlocks === 0) return [part.subarray(0, whole)]
  const blocks: Buffer[] = []
  const [crypt, all] = [cryptBlocks * BLOCK_BYTES, (cryptBlocks + skipBlocks) * BLOCK_BYTES]
  for (let at = 0; at < whole; at += all)
    blocks.push(part.subarray(at, Math.min(whole, at + crypt)))
  return blocks
}

/** In place, as if they stood one behind the other. */
function replaceAll(parts: readonly Buffer[], change: (bytes: Buffer) => Buffer): void {
  const changed = change(Buffer.concat(parts))
  let at = 0
  for (const part of parts) at += changed.copy(part, 0, at, at + part.length)
}

function decrypt(cipher: string, key: Buffer, iv: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

/** A vector of eight bytes is the upper half; the lower counts blocks from 0 on. */
const padded = (iv: Buffer) => Buffer.concat([iv, Buffer.alloc(BLOCK_BYTES - iv.length)])
