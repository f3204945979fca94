import { findEncryption } from './decrypt-keyframes.ts'
import { type Encryption, keyFor } from './encryption.ts'

type Fragment = { readonly isEncrypted: boolean }

/** Returns undefined if all fragments of a track are encrypted with the right key, else the error. */
export function findEncryptionError(
  encryption: Encryption,
  track: string,
  init: Buffer,
  fragments: readonly Fragment[],
): string | undefined {
  const declared = findEncryption(init)
  if (declared?.scheme !== encryption.scheme) return `the header does not declare ${encryption.scheme}`
  if (!declared.kid.equals(keyFor(encryption, track).kid)) return 'the header has another key'
  return fragments.every(({ isEncrypted }) => isEncrypted) ? undefined : 'a fragment is not encrypted'
}
