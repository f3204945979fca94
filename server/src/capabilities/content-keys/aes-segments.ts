/** Whole segments under AES-128 in CBC mode with PKCS7, as every player of HLS opens them. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { AesKeys } from './aes-keys.ts'

type Keys = Pick<AesKeys, 'keyOf' | 'ivOf'>

const CIPHER = 'aes-128-cbc'

/** A stored segment: its number in the video, and its name in storage. */
export type SegmentPlace = { readonly number: number; readonly key: string }

export function sealSegment(keys: Keys, { number, key }: SegmentPlace, clear: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, keys.keyOf(number), keys.ivOf(key))
  return Buffer.concat([cipher.update(clear), cipher.final()])
}

export function openSegment(keys: Keys, { number, key }: SegmentPlace, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, keys.keyOf(number), keys.ivOf(key))
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
