/**
 * Decrypts keyframes and the header of their track, for creating thumbnails, which need only keyframes. Boxes that
 * describe the encryption are renamed and stay in place, so that no offset in the file changes.
 */
import { boxesIn } from '../probe/container/fragments.ts'
import type { EncryptionScheme } from './encryption.ts'
import { decryptSample, type EncryptedSample, type EncryptedTrack, type Subsample } from './sample-cipher.ts'

/** A box type that readers skip. */
const FREE_BOX = 'free'

export function clearInit(init: Buffer): Buffer {
  const clear = Buffer.from(init)
  rename(clear, 'encv', 'avc1')
  rename(clear, 'enca', 'mp4a')
  rename(clear, 'sinf', FREE_BOX)
  return clear
}

/** Decrypts a keyframe. `beginning` contains the header of a fragment and its first sample, and nothing after it. */
export function clearKeyframe(init: Buffer, beginning: Buffer, key: Buffer): Buffer {
  const track = findEncryption(init)
  if (!track) throw new Error('the header describes no encryption')
  const [moof] = boxesIn(beginning, 0, beginning.length)
  if (moof?.name !== 'moof') throw new Error('the keyframe has no fragment header')
  const start = moof.end + BOX_HEADER_BYTES
  const header = Buffer.from(beginning.subarray(0, start))
  const encryptionBoxes = boxesIn(header, moof.start, moof.end)
    .filter(({ name }) => name === 'traf')
    .flatMap((traf) => boxesIn(header, traf.start, traf.end))
    .filter(({ name }) => encryptionBoxNames.includes(name))
  const senc = encryptionBoxes.find(({ name }) => name === 'senc')
  if (!senc) throw new Error('the fragment has no senc box')
  const described = readFirstSample(header.subarray(senc.start, senc.end), track)
  for (const box of encryptionBoxes) header.write(FREE_BOX, box.start - NAME_BYTES, 'latin1')
  const bytes = beginning.subarray(start)
  return Buffer.concat([header, decryptSample(track, key, { ...described, bytes })])
}

const encryptionBoxNames = ['senc', 'saiz', 'saio']
const NAME_BYTES = 4
const BOX_HEADER_BYTES = 8

/** Reads the encryption parameters of a track from its header; undefined if the track is not encrypted. */
export function findEncryption(init: Buffer): EncryptedTrack | undefined {
  const [scheme, tenc] = [init.indexOf('schm') + 8, init.indexOf('tenc') + 4]
  if (scheme < 8 || tenc < 4 || tenc + 25 > init.length) return undefined
  const isProtected = init[tenc + 6] === 1
  const name = init.toString('latin1', scheme, scheme + 4)
  if (!isProtected || (name !== 'cbcs' && name !== 'cenc')) return undefined
  return { scheme: name satisfies EncryptionScheme, ...readDefaults(init.subarray(tenc)) }
}

/** Reads a `tenc` box, starting after its version. */
function readDefaults(tenc: Buffer): Omit<EncryptedTrack, 'scheme'> {
  const [pattern = 0, ivBytes = 0] = [tenc[5], tenc[7]]
  const constantBytes = ivBytes === 0 ? (tenc[24] ?? 0) : 0
  return {
    ...{ cryptBlocks: pattern >> 4, skipBlocks: pattern & 0xf, ivBytes },
    kid: tenc.subarray(8, 24),
    constantIv: tenc.subarray(25, 25 + constantBytes),
  }
}

/**
 * Reads how the first sample is encrypted. A `senc` box contains the number of samples, then for each sample the
 * IV, if any, and the subsamples.
 */
function readFirstSample(senc: Buffer, { ivBytes }: EncryptedTrack): Omit<EncryptedSample, 'bytes'> {
  const hasSubsamples = (senc.readUInt32BE(0) & 0x2) !== 0
  if (!hasSubsamples) throw new Error('the sample has no subsamples')
  const at = 8 + ivBytes
  const subsamples = Array.from({ length: senc.readUInt16BE(at) }, (_, index): Subsample => {
    const entry = at + 2 + index * 6
    return { clearBytes: senc.readUInt16BE(entry), encryptedBytes: senc.readUInt32BE(entry + 2) }
  })
  return { iv: senc.subarray(8, at), subsamples }
}

/**
 * Renames a box, which is found by searching for its type as text: our packager writes this header, and nothing
 * before the box contains the same bytes.
 */
function rename(init: Buffer, from: string, to: string): void {
  const at = init.indexOf(from, 0, 'latin1')
  if (at >= 0) init.write(to, at, 'latin1')
}
