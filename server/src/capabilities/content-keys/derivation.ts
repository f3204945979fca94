/**
 * HKDF with SHA-256 (RFC 5869). The salt is the asset: videos of an organization share a master key
 * and no other. Extracting happens once a video; a long one has tens of thousands of initialization
 * vectors, each of which is one HMAC then.
 */
import { createHmac, type KeyObject } from 'node:crypto'

/** One block of SHA-256: nothing that we derive is longer. */
const DERIVED_BYTES_MAX = 32

/** Answers what belongs to a purpose: the same for the same one, and nothing that tells of another. */
export type Derive = (purpose: string | Uint8Array, bytes: number) => Buffer

export function deriveFrom(master: KeyObject, salt: string | Uint8Array): Derive {
  const extracted = createHmac('sha256', salt).update(master.export()).digest()
  return (purpose, bytes) => {
    if (bytes > DERIVED_BYTES_MAX) throw new RangeError(`${bytes} bytes are more than one block`)
    return createHmac('sha256', extracted)
      .update(purpose)
      .update(FIRST_BLOCK)
      .digest()
      .subarray(0, bytes)
  }
}

const FIRST_BLOCK = Buffer.of(1)
