/**
 * What lies between what is encoded and what is stored of it. A video in the clear is stored as it
 * is; of one that is protected no segment ever is, and whoever needs its pictures later reads them
 * through here.
 */
import { type ByteRange, clearInit, clearKeyframe } from '@reelkeep/media'
import {
  aesKeys,
  openSegment,
  protectAsset,
  type SegmentPlace,
  sealSegment,
} from '../../content-keys/content-keys.ts'
import { encryptionOf } from './drm-keys.ts'
import type { StepContext } from './step.ts'

type ForKeys = Pick<StepContext, 'keyRing' | 'db' | 'asset'>
type ForReading = ForKeys & Pick<StepContext, 'drm' | 'signal' | 'number' | 'stored'>

/** Makes of a segment what is stored of it. What is under common encryption was encrypted as it was packaged. */
export type Seal = (place: SegmentPlace, clear: Buffer) => Buffer

export async function sealerOf({ keyRing, db, asset }: ForKeys): Promise<Seal> {
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

export async function clearReaderOf(context: ForReading): Promise<ClearReader> {
  const { keyRing, db, asset, stored } = context
  const readInit = (key: string) => stored.read(key)
  if (asset.contentProtection === 'drm') return drmReaderOf(context)
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

/** Keyframes are encrypted each by itself, in a way that the header of their track tells. */
async function drmReaderOf(context: ForReading): Promise<ClearReader> {
  const encryption = await encryptionOf(context)
  const key = encryption?.keys.find(({ label }) => label === 'video')?.key
  if (!key) throw new Error(`There is no key for the picture of ${context.asset.id}`)
  const { stored } = context
  let header: Buffer | undefined
  return {
    readInit: async (name) => {
      header = await stored.read(name)
      return clearInit(header)
    },
    readPart: async (place, range) => {
      if (!header) throw new Error('A keyframe is read before its header')
      return clearKeyframe(header, await stored.read(place.key, range), key)
    },
  }
}
