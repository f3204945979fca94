import { createSecretKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { listed } from './fields.ts'

/**
 * A key of the operator's, under which the keys of organizations are kept. Printed or logged it
 * shows nothing of itself.
 */
export type KeyEncryptionKey = { readonly id: string; readonly key: KeyObject }

/** The first one wraps what is new; the others unwrap what is older. */
export type KeyRing = readonly [KeyEncryptionKey, ...KeyEncryptionKey[]]

/** One in use, one that goes, and room for whoever forgets to take them out. */
const KEY_ENCRYPTION_KEYS_MAX = 20

/** 32 bytes in base64 are 43 letters and an equals sign. */
const keyForm = /^(?<id>[a-z0-9][a-z0-9-]{0,31}):(?<key>[A-Za-z0-9+/]{43}=)$/

const formFault =
  'must be id:key with commas between several; an id has 1 to 32 of a-z 0-9 -, a key is 32 random bytes in base64 (openssl rand -base64 32)'

export const keyRing = z.string().transform((text, context): KeyRing => {
  const keys = listed(text).map(toKey)
  const [first, ...others] = keys.filter((key) => key !== undefined)
  const fault = faultOf(keys)
  if (fault === undefined && first) return [first, ...others]
  context.addIssue({ code: 'custom', message: fault ?? formFault })
  return z.NEVER
})

function toKey(text: string): KeyEncryptionKey | undefined {
  const { id, key } = keyForm.exec(text)?.groups ?? {}
  if (id === undefined || key === undefined) return undefined
  return { id, key: createSecretKey(Buffer.from(key, 'base64')) }
}

function faultOf(keys: readonly (KeyEncryptionKey | undefined)[]): string | undefined {
  if (keys.length > KEY_ENCRYPTION_KEYS_MAX) return `holds more than ${KEY_ENCRYPTION_KEYS_MAX}`
  if (keys.includes(undefined)) return formFault
  const ids = new Set(keys.map((key) => key?.id))
  return ids.size < keys.length ? 'has two keys of the same id' : undefined
}
