/**
 * Signs requests that read an object (AWS Signature Version 4). A request for each media file that viewers get is
 * signed here, because the client of AWS's library needs several times as much CPU time.
 */
import { createHash, createHmac } from 'node:crypto'
import { Hash } from '@smithy/hash-node'
import { createScope, getSigningKey } from '@smithy/signature-v4'
import type { AccessKey } from '../client.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SIGNED_HEADERS = 'host;x-amz-content-sha256;x-amz-date'
const NO_BODY = createHash('sha256').digest('hex')
const Sha256 = Hash.bind(null, 'sha256')

export type ReadRequest = {
  readonly method: 'GET' | 'HEAD'
  /** Host with port, as in the `Host` header, and the encoded path. */
  readonly host: string
  readonly path: string
}

export type SigningKey = AccessKey & { readonly region: string }

/** Returns the headers that sign the request. The library keeps the derived key of the day. */
export async function signatureHeaders({ method, host, path }: ReadRequest, key: SigningKey, now = new Date()) {
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = date.slice(0, 8)
  const scope = createScope(day, key.region, 's3')
  const request = `${method}\n${path}\n\nhost:${host}\nx-amz-content-sha256:${NO_BODY}\nx-amz-date:${date}\n\n${SIGNED_HEADERS}\n${NO_BODY}`
  const digest = createHash('sha256').update(request).digest('hex')
  const signingKey = await getSigningKey(Sha256, key, day, key.region, 's3')
  const signature = createHmac('sha256', signingKey).update(`${ALGORITHM}\n${date}\n${scope}\n${digest}`).digest('hex')
  return {
    'x-amz-content-sha256': NO_BODY,
    'x-amz-date': date,
    authorization: `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
  }
}

/** Encodes a key for the path of a URL as the signature requires: everything but letters, digits and `-._~/`. */
export const encodedKey = (key: string) =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
