/** Test keys, and decryption with the packager, as an independent implementation. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Encryption, type EncryptionScheme, keyFor } from '../src/encryption/encryption.ts'
import { packager } from '../src/sandbox/packager.ts'

const run = promisify(execFile)

const bytes = (first: number) => Buffer.from(Array.from({ length: 16 }, (_, at) => first + at))

/** Common `pssh` box with both key ids. */
const COMMON_PSSH = Buffer.concat([
  Buffer.from('000000447073736801000000', 'hex'),
  Buffer.from('1077efecc0b24d02ace33c1e52e2fb4b', 'hex'),
  Buffer.from('00000002', 'hex'),
  ...[bytes(0x10), bytes(0x40)],
  Buffer.alloc(4),
])

export const encryptionOf = (scheme: EncryptionScheme): Encryption => ({
  scheme,
  keys: [
    { label: 'video', kid: bytes(0x10), key: bytes(0x20), iv: bytes(0x30) },
    { label: 'audio', kid: bytes(0x40), key: bytes(0x50), iv: bytes(0x60) },
  ],
  pssh: [COMMON_PSSH],
})

/** Returns a decrypted file of one track. */
export async function decrypt(encryption: Encryption, track: string, path: string) {
  const { kid, key } = keyFor(encryption, track)
  const output = `${path}.clear.mp4`
  await run(packager(), [
    `in=${path},stream=${track === 'audio' ? 'audio' : 'video'},output=${output}`,
    ...['--enable_raw_key_decryption', '--quiet'],
    ...['--keys', `label=:key_id=${kid.toString('hex')}:key=${key.toString('hex')}`],
  ])
  return output
}
