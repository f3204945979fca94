/**
 * HKDF with SHA-256 (RFC 5869). The salt is the asset id. The extract step runs once per video; each
 * of its keys and initialization vectors is then one HMAC.
 */
import { createHmac, type KeyObject } from 'node:crypto'

/** One block of SHA-256, which is enough for all keys. */
const DERIVED_BYTES_MAX = 32

/** Derives bytes for a purpose. The result is deterministic and independent of other purposes. */
export type Derive = (purpose: string | Uint8Array, bytes: number) => Buffer

export function deriveFrom(master: KeyObject, salt: string | Uint8Array): Derive {
  const extracted = createHmac('sha256', salt).update(master.export()).digest()
  return (purpose, bytes) => {
    if (bytes > DERIVED_BYTES_MAX)
      throw new RangeError(`Cannot derive more than ${DERIVED_BYTES_MAX} bytes (got ${bytes})`)
    return createHmac('sha256', extracted).update(purpose).update(FIRST_BLOCK).digest().subarray(0, bytes)
  }
}

const FIRST_BLOCK = Buffer.of(1)
