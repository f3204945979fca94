import { ReelkeepError, SignatureError } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import type { ReelkeepEvent } from '../streaming/event.ts'

/** Maximum age of a request, which allows for clock differences and transit time. Older requests may be replays. */
const TOLERANCE_SECONDS = 300
/**
 * Maximum number of signatures checked. There are two during a rotation; the limit bounds the work for a
 * malicious request.
 */
const SIGNATURES_MAX = 10
const SECRET_PREFIX = 'whsec_'

type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** Maximum age of a request, and how far its timestamp may be in the future (default 300). */
  readonly toleranceSeconds?: number | undefined
}

/**
 * Verifies a webhook request and returns its event. Throws a SignatureError unless Reelkeep signed it with
 * one of the secrets. `body` must be exactly as received, byte for byte, not parsed and serialized again.
 * Invalid arguments throw a plain ReelkeepError; so does a signed body that is not JSON.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: RequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds }: VerifyOptions = {},
): Promise<ReelkeepEvent> {
  const keys = parseSecrets(secrets)
  const bytes = toBytes(body)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    readHeader(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures)
    throw new SignatureError(
      'The request lacks the webhook headers webhook-id, webhook-timestamp and webhook-signature.',
    )
  assertFresh(timestamp, firstNumber(toleranceSeconds) ?? TOLERANCE_SECONDS)
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const key of keys) if (await isSignedWith(key, signatures, signed)) return parseEvent(bytes)
  throw new SignatureError(
    'The signature does not match: the request is not from Reelkeep, was modified in transit, or the secret is wrong.',
  )
}

/** Parses the event. The body may not be JSON if another program signs with the same secret. */
function parseEvent(bytes: Uint8Array): ReelkeepEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ReelkeepError('The request has a valid signature, but its body is not JSON.', {
      cause,
    })
  }
}

function assertFresh(timestamp: string, toleranceSeconds: number): void {
  const ageSeconds = Date.now() / 1000 - Number(timestamp)
  if (Math.abs(ageSeconds) <= toleranceSeconds) return
  throw new SignatureError(
    `The webhook-timestamp ${timestamp} is too far from the current time: the request was replayed, or a clock is wrong.`,
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
      const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice('v1,'.length)) : undefined
      // Web Crypto compares in constant time.
      return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed)
    }),
  )
  return fits.includes(true)
}

function parseSecrets(secrets: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const keys = [secrets ?? []].flat().map(parseSecret)
  if (keys.length > 0) return keys
  throw new ReelkeepError('No webhook secret was given to verify the request. Check your settings.')
}

function parseSecret(secret: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret : ''
  const key = text.startsWith(SECRET_PREFIX) ? fromBase64(text.slice(SECRET_PREFIX.length)) : undefined
  if (key?.length) return key
  throw new ReelkeepError('A webhook secret must start with whsec_, as it was shown when the webhook was created.')
}

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new ReelkeepError(
    'Pass the body of the request as received, not parsed. In Express, use express.raw({ type: "application/json" }).',
  )
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Accepts headers of fetch, of Node (lower-case) and of platforms that keep the original case. */
function readHeader(headers: RequestHeaders, name: string): string | undefined {
  if (!headers) throw new ReelkeepError('The headers of the request are missing: pass them as received.')
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return value === undefined ? undefined : String(value)
}
