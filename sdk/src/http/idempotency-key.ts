const KEY_BYTES = 16

/** A random key. `crypto.randomUUID` is not available in pages on plain http. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
