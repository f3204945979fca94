/**
 * An encrypted keyframe, and the header of its track, as if nobody had encrypted them. For the
 * pictures that are made of a video: nothing but its keyframes is read for these. Boxes that tell
 * of the encryption get another name and stay where they are, so no place in the file moves.
 */
import { boxesIn } from '../probe/fragments.ts'
import type { EncryptionScheme } from './encryption.ts'
import { openSample, type SealedSample, type SealedTrack, type Stretch } from './sample-cipher.ts'

/** What a reader passes over. */
const NOTHING = 'free'

export function clearInit(init: Buffer): Buffer {
  const clear = Buffer.from(init)
  rename(clear, 'encv', 'avc1')
  rename(clear, 'enca', 'mp4a')
  rename(clear, 'sinf', NOTHING)
  return clear
}

/** `beginning` goes from the header of a fragment to the end of its first sample, and no farther. */
export function clearKeyframe(init: Buffer, beginning: Buffer, key: Buffer): Buffer {
  const track = findSealed(init)
  if (!track) throw new Error('A header that tells of no encryption')
  const [moof] = boxesIn(beginning, 0, beginning.length)
  if (moof?.name !== 'moof') throw new Error('A keyframe without the header of its fragment')
  const start = moof.end + BOX_HEADER_BYTES
  const header = Buffer.from(beginning.subarray(0, start))
  const sealing = boxesIn(header, moof.start, moof.end)
    .filter(({ name }) => name === 'traf')
    .flatMap((traf) => boxesIn(header, traf.start, traf.end))
    .filter(({ name }) => ofEncryption.includes(name))
  const senc = sealing.find(({ name }) => name === 'senc')
  if (!senc) throw new Error('A fragment that does not tell how it is encrypted')
  const described = readFirst(header.subarray(senc.start, senc.end), track)
  for (const box of sealing) header.write(NOTHING, box.start - NAME_BYTES, 'latin1')
  const bytes = beginning.subarray(start)
  return Buffer.concat([header, openSample(track, key, { ...described, bytes })])
}

const ofEncryption = ['senc', 'saiz', 'saio']
const NAME_BYTES = 4
const BOX_HEADER_BYTES = 8

/** Undefined of what is in the clear. */
export function findSealed(init: Buffer): SealedTrack | undefined {
  const [scheme, tenc] = [init.indexOf('schm') + 8, init.indexOf('tenc') + 4]
  if (scheme < 8 || tenc < 4 || tenc + 25 > init.length) return undefined
  const isProtected = init[tenc + 6] === 1
  const name = init.toString('latin1', scheme, scheme + 4)
  if (!isProtected || (name !== 'cbcs' && name !== 'cenc')) return undefined
  return { scheme: name satisfies EncryptionScheme, ...readDefaults(init.subarray(tenc)) }
}

/** Of a `tenc`, behind its version. */
function readDefaults(tenc: Buffer): Omit<SealedTrack, 'scheme'> {
  const [pattern = 0, ivBytes = 0] = [tenc[5], tenc[7]]
  const constantBytes = ivBytes === 0 ? (tenc[24] ?? 0) : 0
  return {
    ...{ cryptBlocks: pattern >> 4, skipBlocks: pattern & 0xf, ivBytes },
    kid: tenc.subarray(8, 24),
    constantIv: tenc.subarray(25, 25 + constantBytes),
  }
}

/**
 * How the first sample is encrypted. Behind the number of samples stands of each its vector, if it
 * has one, and its stretches.
 */
function readFirst(senc: Buffer, { ivBytes }: SealedTrack): Omit<SealedSample, 'bytes'> {
  const hasStretches = (senc.readUInt32BE(0) & 0x2) !== 0
  if (!hasStretches) throw new Error('A picture that is encrypted from its first byte on')
  const at = 8 + ivBytes
  const stretches = Array.from({ length: senc.readUInt16BE(at) }, (_, index): Stretch => {
    const entry = at + 2 + index * 6
    return { clearBytes: senc.readUInt16BE(entry), sealedBytes: senc.readUInt32BE(entry + 2) }
  })
  return { iv: senc.subarray(8, at), stretches }
}

/** By its four letters: we have this header written ourselves, and nothing before them spells the same. */
function rename(init: Buffer, from: string, to: string): void {
  const at = init.indexOf(from, 0, 'latin1')
  if (at >= 0) init.write(to, at, 'latin1')
}
