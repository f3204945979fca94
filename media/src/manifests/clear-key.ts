/** Describes the service's own license server in manifests. The server implements W3C ClearKey. */
import type { EncryptionScheme } from '../encryption/encryption.ts'
import { quoted, tag } from './hls/hls-text.ts'
import type { TrackProtection } from './stream.ts'

const CLEAR_KEY_SYSTEM = 'e2719d58-a985-b3c9-781a-b030af78d30e'

/**
 * The W3C common `pssh` box, which lists key ids and is supported by all browsers. Some players use its system
 * id for ClearKey.
 */
const COMMON_SYSTEM = '1077efec-c0b2-4d02-ace3-3c1e52e2fb4b'
const COMMON_SYSTEM_BYTES = Buffer.from(COMMON_SYSTEM.replaceAll('-', ''), 'hex')

/** Writes a `pssh` box of version 1, which contains key ids and no other data. */
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
  /** Key ids of all tracks, so that one license request covers them. */
  readonly kids: readonly Buffer[]
  /** URI from which authorized clients get the key. */
  readonly keyUri: string
}

/**
 * HLS cannot describe a ClearKey license server. For the key format "identity", shaka-player uses ClearKey and
 * reads the key id from the track's header. A session key belongs to no track, so no session key is written.
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
