/**
 * Encrypts segments before they are stored and decrypts them for later steps. Segments of an unprotected video are
 * stored as they are; those of a protected one are never stored unencrypted.
 */
import { type ByteRange, clearInit, clearKeyframe, type Encryption } from '@reelkeep/media'
import type { Failure } from '../../assets/assets.ts'
import {
  aesKeys,
  encryptionKeys,
  KeyProviderFailed,
  openSegment,
  protectAsset,
  type SegmentLocation,
  sealSegment,
} from '../../content-keys/content-keys.ts'
import { type StepContext, UnusableFile } from './step.ts'

type ForKeys = Pick<StepContext, 'keyRing' | 'db' | 'asset'>
type ForDrmKeys = ForKeys & Pick<StepContext, 'drm' | 'signal'>
type ForReading = ForDrmKeys & Pick<StepContext, 'stored'>

/** Encrypts a segment for storage. Segments under Common Encryption were encrypted when they were packaged. */
export type Seal = (location: SegmentLocation, clear: Buffer) => Buffer

export async function sealerOf({ keyRing, db, asset }: ForKeys): Promise<Seal> {
  if (asset.contentProtection !== 'aes') return (_, clear) => clear
  await protectAsset(keyRing, db, asset)
  const keys = await aesKeys(keyRing, db, asset)
  return (location, clear) => sealSegment(keys, location, clear)
}

/** Reads and decrypts stored segments. */
export type ClearReader = {
  readInit(key: string): Promise<Buffer>
  readPart(location: SegmentLocation, range: ByteRange): Promise<Buffer>
  /** Reads a whole segment. Absent under Common Encryption, of which only keyframes are decrypted here. */
  readonly readSegment?: (location: SegmentLocation) => Promise<Buffer>
}

export async function clearReaderOf(context: ForReading): Promise<ClearReader> {
  const { keyRing, db, asset, stored } = context
  const readInit = (key: string) => stored.read(key)
  if (asset.contentProtection === 'drm') return drmReaderOf(context)
  if (asset.contentProtection !== 'aes') {
    return {
      readInit,
      readPart: ({ key }, range) => stored.read(key, range),
      readSegment: ({ key }) => stored.read(key),
    }
  }
  const keys = await aesKeys(keyRing, db, asset)
  const readSegment = async (location: SegmentLocation) => openSegment(keys, location, await stored.read(location.key))
  return {
    readInit,
    // A segment is encrypted as a whole, so all of it is read.
    readPart: async (location, { start, end }) => (await readSegment(location)).subarray(start, end),
    readSegment,
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
    readPart: async (location, range) => {
      if (!header) throw new Error('The init segment must be read before keyframes')
      return clearKeyframe(header, await stored.read(location.key, range), key)
    },
  }
}

/** Keys of a video under Common Encryption; undefined for a video without DRM. */
export async function encryptionOf(context: ForDrmKeys, isLastAttempt = false): Promise<Encryption | undefined> {
  const { asset, db, signal } = context
  if (asset.contentProtection !== 'drm') return undefined
  try {
    return await encryptionKeys(context, db, asset, signal)
  } catch (error) {
    throw error instanceof KeyProviderFailed ? keyFailure(error, isLastAttempt) : error
  }
}

/** Temporary failures are retried while attempts are left; for all others, the operator has to act first. */
export const keyFailure = (error: KeyProviderFailed, isLastAttempt: boolean): Error =>
  error.isTransient && !isLastAttempt
    ? error
    : new UnusableFile({ code: 'key_provider_failed', detail: details[error.reason] }, { cause: error })

const advice = 'Retry once the operator of the service has fixed the problem.'

const details: Record<KeyProviderFailed['reason'], Failure['detail']> = {
  missing: `The video should be protected by DRM, but the service has no key provider (DRM_PROVIDER). ${advice}`,
  refused: `The key provider refused to provide keys for the video; its response is in the log. ${advice}`,
  unavailable: `The key provider did not respond after several attempts. ${advice}`,
  unreadable: `The key provider's response contained no keys. ${advice}`,
  'other-keys': `The key provider returned different keys than when processing started. Retry once it returns the original keys again; otherwise upload the file again.`,
}
