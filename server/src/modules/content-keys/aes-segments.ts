/** Encrypts whole segments with AES-128-CBC and PKCS7 padding, as HLS players expect. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { AesKeys } from './aes-keys.ts'

type Keys = Pick<AesKeys, 'keyOf' | 'ivOf'>

const CIPHER = 'aes-128-cbc'

/** A stored segment: its number in the video and its key in storage. */
export type SegmentLocation = { readonly number: number; readonly key: string }

export function sealSegment(keys: Keys, { number, key }: SegmentLocation, clear: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, keys.keyOf(number), keys.ivOf(key))
  return Buffer.concat([cipher.update(clear), cipher.final()])
}

export function openSegment(keys: Keys, { number, key }: SegmentLocation, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, keys.keyOf(number), keys.ivOf(key))
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
