import type { Derive } from './derivation.ts'

/** How many segments share a key: about a minute of video. Whoever saves one key has that minute. */
export const SEGMENTS_IN_A_PERIOD = 15

const AES_BLOCK_BYTES = 16

/** AES-128 over whole segments, as HLS has it. */
export type AesKeys = {
  readonly periodOf: (segment: number) => number
  readonly keyOf: (segment: number) => Buffer
  /** As a viewer asks for it. */
  readonly keyOfPeriod: (period: number) => Buffer
  /** Every file has one of its own, also if a segment is made twice. */
  readonly ivOf: (objectKey: string) => Buffer
}

export const periodOf = (segment: number) => Math.floor(segment / SEGMENTS_IN_A_PERIOD)

export function deriveAesKeys(derive: Derive): AesKeys {
  const keyOfPeriod = (period: number) => derive(`aes/${period}`, AES_BLOCK_BYTES)
  return {
    periodOf,
    keyOfPeriod,
    keyOf: (segment) => keyOfPeriod(periodOf(segment)),
    ivOf: (objectKey) => derive(`iv/${objectKey}`, AES_BLOCK_BYTES),
  }
}
