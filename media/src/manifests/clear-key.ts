/** How players find the keys of the service's own licence server: ClearKey, as the W3C has it. */
import type { EncryptionScheme } from '../encryption/encryption.ts'
import { quoted, tag } from './hls-text.ts'
import type { TrackProtection } from './stream.ts'

const CLEAR_KEY_SYSTEM = 'e2719d58-a985-b3c9-781a-b030af78d30e'

/**
 * Of the box that belongs to no system: it lists key ids, and every browser knows it. Some players
 * take its name for that of ClearKey.
 */
const COMMON_SYSTEM = '1077efec-c0b2-4d02-ace3-3c1e52e2fb4b'
const COMMON_SYSTEM_BYTES = Buffer.from(COMMON_SYSTEM.replaceAll('-', ''), 'hex')

/** Version 1: with key ids, and without anything else. */
export function commonPssh(kids: readonly Buffer[]): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(kids.length)
  const head = [Buffer.from('pssh'), Buffer.from([1, 0, 0, 0]), COMMON_SYSTEM_BYTES, count]
  const rest = Buffer.concat([...head, ...kids, Buffer.alloc(4)])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(size.length + rest.length)
  return Buffer.concat([size, rest])
}

export type ClearKeyTrack = {
  readonly scheme: EncryptionScheme
  readonly kid: Buffer
  /** Of all tracks: one licence then opens them. */
  readonly kids: readonly Buffer[]
  /** Where the key itself is given to those who may have it. */
  readonly keyUri: string
}

/**
 * In HLS there is no word for a ClearKey licence server. shaka-player takes a plain key
 * ("identity") for one, and finds out from the header which it is; as a session key it could not,
 * so there is none.
 */
export const clearKeyProtection = (track: ClearKeyTrack): TrackProtection => ({
  scheme: track.scheme,
  kid: track.kid.toString('hex'),
  hlsKeys: [
    tag('KEY', {
      METHOD: methodOf(track.scheme),
      URI: quoted(track.keyUri),
      KEYFORMAT: quoted('identity'),
    }),
  ],
  hlsSessionKeys: [],
  dash: [
    { systemId: COMMON_SYSTEM, pssh: commonPssh(track.kids).toString('base64') },
    {
      systemId: CLEAR_KEY_SYSTEM,
      value: 'ClearKey1.0',
      pssh: commonPssh(track.kids).toString('base64'),
    },
  ],
})

const methodOf = (scheme: EncryptionScheme) => (scheme === 'cbcs' ? 'SAMPLE-AES' : 'SAMPLE-AES-CTR')
