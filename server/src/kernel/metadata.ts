import { METADATA_KEYS_MAX } from '@reelkeep/contract'
import { refused } from './errors.ts'

/** Key-value pairs of the client. */
export type Metadata = Readonly<Record<string, string>>

/** Keys to set, or to remove with null. */
export type MetadataChange = Readonly<Record<string, string | null>>

/** Returns the metadata with the change applied. Throws if there are too many keys afterwards. */
export function mergeMetadata(metadata: Metadata, change: MetadataChange): Metadata {
  const merged = { ...metadata, ...change }
  const kept = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null)
  if (kept.length > METADATA_KEYS_MAX)
    throw refused(
      'invalid_request',
      `\`metadata\` would have ${kept.length} keys; at most ${METADATA_KEYS_MAX} are allowed. Remove some with null.`,
      'metadata',
    )
  return Object.fromEntries(kept)
}

/** Whether two metadata objects are equal. The order of their keys does not matter. */
export function isSameMetadata(a: Metadata, b: Metadata): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
}
