import { createCipheriv, createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const MEBIBYTE = 1024 ** 2

/**
 * Writes a file with a key stream and returns its SHA-256. Nothing in a key stream repeats, so no part can be
 * deduplicated.
 */
export async function writeKeyStream(path: string, bytes: number, seed: number): Promise<string> {
  const hash = createHash('sha256')
  const key = Buffer.alloc(16)
  key.writeUInt32BE(seed >>> 0)
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16))
  const zeros = Buffer.alloc(MEBIBYTE)
  function* chunks() {
    for (let offset = 0; offset < bytes; offset += MEBIBYTE) {
      const chunk = cipher.update(zeros.subarray(0, Math.min(MEBIBYTE, bytes - offset)))
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path))
  return hash.digest('hex')
}
