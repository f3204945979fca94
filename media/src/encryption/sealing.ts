import { findSealed } from './clear-copies.ts'
import { type Encryption, keyFor } from './encryption.ts'

type Fragment = { readonly isEncrypted: boolean }

/** Undefined if a track is encrypted, by the right key, from its first fragment to its last; else what is not. */
export function faultOfSealing(
  encryption: Encryption,
  track: string,
  init: Buffer,
  fragments: readonly Fragment[],
): string | undefined {
  const sealed = findSealed(init)
  if (sealed?.scheme !== encryption.scheme) return `a header without ${encryption.scheme}`
  if (!sealed.kid.equals(keyFor(encryption, track).kid)) return 'a header with another key'
  return fragments.every(({ isEncrypted }) => isEncrypted) ? undefined : 'a fragment in the clear'
}
