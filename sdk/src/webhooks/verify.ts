import type { ReelkeepEvent } from '../following/event.ts'
import { ReelkeepError, SignatureError } from '../http/errors.ts'
import { said } from '../http/said.ts'

/** How far the clocks of the two may differ, the way included; what is older may be a request that somebody kept. */
const TOLERANCE_SECONDS = 300
/** There are two while a secret is rotated; more than a handful is an attempt to keep us busy. */
const SIGNATURES_MAX = 10
const SECRET_PREFIX = 'whsec_'

type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** How old a request may be, and how far ahead of this clock: 300 unless told. */
  readonly toleranceSeconds?: number | undefined
}

/**
 * The event in a request to your webhook, if Reelkeep has signed it with this secret, or one of
 * these; throws a SignatureError if not. `body` is what came, byte for byte: one that was parsed
 * and written again is another one. Secrets, headers and bodies that are none are a fault of the
 * program that calls, and throw a plain ReelkeepError; so does a body that is signed and not JSON.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: RequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds }: VerifyOptions = {},
): Promise<ReelkeepEvent> {
  const keys = keysOf(secrets)
  const bytes = bytesOf(body)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures)
    throw new SignatureError(
      'The request lacks the headers of a webhook: webhook-id, webhook-timestamp, webhook-signature.',
    )
  assertFresh(timestamp, said(toleranceSeconds) ?? TOLERANCE_SECONDS)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const key of keys) if (await isSignedWith(key, signatures, signed)) return eventIn(bytes)
  throw new SignatureError(
    'No signature of the request fits: it is not from Reelkeep, was changed on its way, or the secret is another one.',
  )
}

/** A secret that others sign with, too, may be under something else. */
function eventIn(bytes: Uint8Array): ReelkeepEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ReelkeepError('The request is signed, but its body is not JSON, and so no event.', {
      cause,
    })
  }
}

function assertFresh(timestamp: string, toleranceSeconds: number): void {
  const ageSeconds = Date.now() / 1000 - Number(timestamp)
  if (Math.abs(ageSeconds) <= toleranceSeconds) return
  throw new SignatureError(
    `The request is from another time: its webhook-timestamp is ${timestamp}. It may have been kept by somebody, or a clock is wrong.`,
  )
}

async function isSignedWith(
  secret: Uint8Array<ArrayBuffer>,
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify'])
  const given = signatures.split(' ').slice(0, SIGNATURES_MAX)
  const fits = await Promise.all(
    given.map(async (signature) => {
      const bytes = signature.startsWith('v1,')
        ? fromBase64(signature.slice('v1,'.length))
        : undefined
      // Web Crypto compares in constant time.
      return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed)
    }),
  )
  return fits.includes(true)
}

function keysOf(secrets: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const keys = [secrets ?? []].flat().map(keyOf)
  if (keys.length > 0) return keys
  throw new ReelkeepError('There is no secret to verify the request with. Is a setting missing?')
}

function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret : ''
  const key = text.startsWith(SECRET_PREFIX)
    ? fromBase64(text.slice(SECRET_PREFIX.length))
    : undefined
  if (key?.length) return key
  throw new ReelkeepError(
    'The secret of a webhook begins with whsec_, as it was shown when the webhook was created.',
  )
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new ReelkeepError(
    'The body of the request was parsed, or never read: hand it over as it came. In Express, express.raw({ type: "application/json" }) keeps it.',
  )
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Of fetch, of Node, which has them in small letters, or of a platform that keeps them as they came. */
function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (!headers)
    throw new ReelkeepError('The headers of the request are missing: hand them over as they came.')
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return value === undefined ? undefined : String(value)
}
