/**
 * Encrypts segments before they are stored and decrypts them for later steps. Segments of an unprotected video are
 * stored as they are; those of a protected one are never stored unencrypted.
 */
import { type ByteRange, clearInit, clearKeyframe } from '@reelkeep/media'
import {
  aesKeys,
  openSegment,
  protectAsset,
  type SegmentLocation,
  sealSegment,
} from '../../content-keys/content-keys.ts'
import { encryptionOf } from './drm-keys.ts'
import type { StepContext } from './step.ts'

type ForKeys = Pick<StepContext, 'keyRing' | 'db' | 'asset'>
type ForReading = ForKeys & Pick<StepContext, 'drm' | 'signal' | 'number' | 'stored'>

/** Encrypts a segment for storage. Segments under Common Encryption were encrypted when they were packaged. */
export type Seal = (place: SegmentLocation, clear: Buffer) => Buffer

export async function sealerOf({ keyRing, db, asset }: ForKeys): Promise<Seal> {
  if (asset.contentProtection !== 'aes') return (_, clear) => clear
  await protectAsset(keyRing, db, asset)
  const keys = await aesKeys(keyRing, db, asset)
  return (place, clear) => sealSegment(keys, place, clear)
}

/** Reads stored segments decrypted. */
export type ClearReader = {
  readInit(key: string): Promise<Buffer>
  readPart(place: SegmentLocation, range: ByteRange): Promise<Buffer>
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
    // A segment is encrypted as a whole, so all of it is read.
    readPart: async (place, { start, end }) =>
      openSegment(keys, place, await stored.read(place.key)).subarray(start, end),
  }
}

/** Keyframes are encrypted individually, as described in the track's init segment. */
async function drmReaderOf(context: ForReading): Promise<ClearReader> {
  const encryption = await encryptionOf(context)
  const key = encryption?.keys.find(({ label }) => label === 'video')?.key
  if (!key) throw new Error(`Asset ${context.asset.id} has no video key`)
  const { stored } = context
  let header: Buffer | undefined
  return {
    readInit: async (name) => {
      header = await stored.read(name)
      return clearInit(header)
    },
    readPart: async (place, range) => {
      if (!header) throw new Error('The init segment must be read before keyframes')
      return clearKeyframe(header, await stored.read(place.key, range), key)
    },
  }
}
