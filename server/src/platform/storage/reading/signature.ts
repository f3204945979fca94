/**
 * Signs requests that read an object (AWS Signature Version 4). A request for each media file that viewers get is
 * signed here, because the client of AWS's library needs several times as much CPU time.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { Hash } from '@smithy/hash-node'
import { createScope, getSigningKey } from '@smithy/signature-v4'
import type { AccessKey } from '../client.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SIGNED_HEADERS = 'host;x-amz-content-sha256;x-amz-date'
const NO_BODY = hash('sha256', '')
const Sha256 = Hash.bind(null, 'sha256')

export type ReadRequest = {
  readonly method: 'GET' | 'HEAD'
  /** Host with port, as in the `Host` header, and the encoded path. */
  readonly host: string
  readonly path: string
}

export type SigningKey = AccessKey & { readonly region: string }

export class RequestSigner {
  readonly #key: SigningKey
  /** Derived from the key, for one day. A KeyObject, because HMAC with other keys needs five times as much CPU time. */
  #derived: { readonly day: string; readonly key: KeyObject } | undefined

  constructor(key: SigningKey) {
    this.#key = key
  }

  /** Returns the headers that sign the request. They are valid for 15 minutes. */
  async headers({ method, host, path }: ReadRequest, now = new Date()) {
    const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
    const day = date.slice(0, 8)
    const scope = createScope(day, this.#key.region, 's3')
    const request = `${method}\n${path}\n\nhost:${host}\nx-amz-content-sha256:${NO_BODY}\nx-amz-date:${date}\n\n${SIGNED_HEADERS}\n${NO_BODY}`
    const text = `${ALGORITHM}\n${date}\n${scope}\n${hash('sha256', request)}`
    const signature = createHmac('sha256', await this.#keyOf(day))
      .update(text)
      .digest('hex')
    return {
      'x-amz-content-sha256': NO_BODY,
      'x-amz-date': date,
      authorization: `${ALGORITHM} Credential=${this.#key.accessKeyId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
    }
  }

  async #keyOf(day: string): Promise<KeyObject> {
    if (this.#derived?.day !== day) {
      const derived = await getSigningKey(Sha256, this.#key, day, this.#key.region, 's3')
      this.#derived = { day, key: createSecretKey(derived) }
    }
    return this.#derived.key
  }
}

/** Encodes a key for the path of a URL as the signature requires: everything but letters, digits and `-._~/`. */
export const encodedKey = (key: string) =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
