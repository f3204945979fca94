import type { Derive } from './derivation.ts'

/** Segments per key: about a minute of video. A leaked key exposes that minute only. */
export const SEGMENTS_PER_KEY_PERIOD = 15

const AES_BLOCK_BYTES = 16

/** Keys for AES-128 encryption of whole segments, as in HLS. */
export type AesKeys = {
  readonly periodOf: (segment: number) => number
  readonly keyOf: (segment: number) => Buffer
  /** Returns the key of a period, a range of segments with the same key. Players request keys by period. */
  readonly keyOfPeriod: (period: number) => Buffer
  /** Initialization vector of an object. It is unique even if a segment is encoded twice. */
  readonly ivOf: (objectKey: string) => Buffer
}

export const periodOf = (segment: number) => Math.floor(segment / SEGMENTS_PER_KEY_PERIOD)

export function deriveAesKeys(derive: Derive): AesKeys {
  const keyOfPeriod = (period: number) => derive(`aes/${period}`, AES_BLOCK_BYTES)
  return {
    periodOf,
    keyOfPeriod,
    keyOf: (segment) => keyOfPeriod(periodOf(segment)),
    ivOf: (objectKey) => derive(`iv/${objectKey}`, AES_BLOCK_BYTES),
  }
}
