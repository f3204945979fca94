/**
 * ClearKey licenses as specified by the W3C (Encrypted Media Extensions, 9.1): the request is a list of key ids,
 * the response contains these keys, both in JSON.
 */
import { refused } from '../../../kernel/errors.ts'
import type { DrmKey } from '../../content-keys/content-keys.ts'

/** Maximum number of key ids in a request. A video has two keys; players request both, or one at a time. */
const KIDS_MAX = 32
/** Maximum size of a license request, enough for the maximum number of key ids. */
export const LICENSE_REQUEST_BYTES_MAX = 4096

export type License = {
  readonly keys: readonly { readonly kty: 'oct'; readonly kid: string; readonly k: string }[]
  readonly type: 'temporary'
}

/** The requested key ids. */
export function requestedKids(body: Buffer): string[] {
  const { kids } = parsed(body)
  const isList = Array.isArray(kids) && kids.length > 0 && kids.length <= KIDS_MAX
  if (isList && kids.every((kid) => typeof kid === 'string')) return kids
  throw refused(
    'invalid_request',
    `kids must be a list of 1 to ${KIDS_MAX} key ids in base64url: {"kids":["…"]}.`,
    'kids',
  )
}

function parsed(body: Buffer): { readonly kids?: unknown } {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return read !== null && typeof read === 'object' ? read : {}
  } catch {
    throw refused('malformed_json', 'The body of a license request must be JSON: {"kids":["…"]}.')
  }
}

/** Some players add padding, which base64url does not have. */
const isSameKid = (requested: string, kid: string) => requested === kid || requested === `${kid}==`

/** The requested keys of the video. Empty if none of them belongs to it. */
export const licenseFor = (keys: readonly DrmKey[], kids: readonly string[]): License => ({
  keys: keys
    .map(({ kid, key }) => ({
      kty: 'oct' as const,
      kid: kid.toString('base64url'),
      k: key.toString('base64url'),
    }))
    .filter(({ kid }) => kids.some((requested) => isSameKid(requested, kid))),
  type: 'temporary',
})
