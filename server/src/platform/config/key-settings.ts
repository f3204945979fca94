import { createSecretKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { splitList } from './fields.ts'

/** A key of the operator that encrypts the keys of organizations. Printing or logging it does not reveal it. */
export type KeyEncryptionKey = { readonly id: string; readonly key: KeyObject }

/** The first key encrypts new data; the others decrypt older data. */
export type KeyRing = readonly [KeyEncryptionKey, ...KeyEncryptionKey[]]

/** Maximum number of keys. Two are needed for a rotation; the rest is margin for keys that were not removed. */
const KEY_ENCRYPTION_KEYS_MAX = 20

/** Id and key. The 32 bytes of a key in base64 are 43 characters and an equals sign. */
const keyPattern = /^(?<id>[a-z0-9][a-z0-9-]{0,31}):(?<key>[A-Za-z0-9+/]{43}=)$/

const formatError =
  'must be id:key, separated by commas; an id has 1 to 32 characters of a-z 0-9 -, a key is 32 random bytes in base64 (openssl rand -base64 32)'

export const keyRing = z.string().transform((text, context): KeyRing => {
  const keys = splitList(text).map(toKey)
  const [first, ...others] = keys.filter((key) => key !== undefined)
  const error = errorOf(keys)
  if (error === undefined && first) return [first, ...others]
  context.addIssue({ code: 'custom', message: error ?? formatError })
  return z.NEVER
})

function toKey(text: string): KeyEncryptionKey | undefined {
  const { id, key } = keyPattern.exec(text)?.groups ?? {}
  if (id === undefined || key === undefined) return undefined
  return { id, key: createSecretKey(Buffer.from(key, 'base64')) }
}

function errorOf(keys: readonly (KeyEncryptionKey | undefined)[]): string | undefined {
  if (keys.length > KEY_ENCRYPTION_KEYS_MAX) return `must have at most ${KEY_ENCRYPTION_KEYS_MAX} keys`
  if (keys.includes(undefined)) return formatError
  const ids = new Set(keys.map((key) => key?.id))
  return ids.size < keys.length ? 'must not have two keys with the same id' : undefined
}
