/**
 * What lies between what is encoded and what is stored of it. A video in the clear is stored as it is; of one that is protected no segment
 * ever is, and whoever needs its pictures later reads them through here.
 */
import type { ByteRange } from '@reelkeep/media'
import {
  aesKeys,
  openSegment,
  protectAsset,
  type SegmentPlace,
  sealSegment,
} from '../../content-keys/content-keys.ts'
import type { StepContext } from './step.ts'

/** Makes of a segment what is stored of it. */
export type Seal = (place: SegmentPlace, clear: Buffer) => Buffer

export async function sealerOf({ keyRing, db, asset }: StepContext): Promise<Seal> {
  if (asset.contentProtection !== 'aes') return (_, clear) => clear
  await protectAsset(keyRing, db, asset)
  const keys = await aesKeys(keyRing, db, asset)
  return (place, clear) => sealSegment(keys, place, clear)
}

/** Reads what was encoded as it was before it was protected. */
export type ClearReader = {
  readInit(key: string): Promise<Buffer>
  readPart(place: SegmentPlace, range: ByteRange): Promise<Buffer>
}

export async function clearReaderOf(context: StepContext): Promise<ClearReader> {
  const { keyRing, db, asset, stored } = context
  const readInit = (key: string) => stored.read(key)
  if (asset.contentProtection !== 'aes') {
    return { readInit, readPart: ({ key }, range) => stored.read(key, range) }
  }
  const keys = await aesKeys(keyRing, db, asset)
  return {
    readInit,
    // A segment is encrypted as a whole, so that is what has to be read.
    readPart: async (place, { start, end }) =>
      openSegment(keys, place, await stored.read(place.key)).subarray(start, end),
  }
}
