/**
 * ClearKey as the W3C has it (Encrypted Media Extensions, 9.1): a list of key ids is asked, and
 * those keys are answered, both as JSON.
 */
import { refused } from '../../../kernel/errors.ts'
import type { DrmKey } from '../../content-keys/content-keys.ts'

/** A player asks for those of a video, which has two; some ask for one at a time. */
const KIDS_MAX = 32
/** So many key ids, and what stands around them. */
export const LICENCE_REQUEST_BYTES_MAX = 4096

export type Licence = {
  readonly keys: readonly { readonly kty: 'oct'; readonly kid: string; readonly k: string }[]
  readonly type: 'temporary'
}

/** Key ids as they were asked for. */
export function askedKids(body: Buffer): string[] {
  const { kids } = parsed(body)
  const isList = Array.isArray(kids) && kids.length > 0 && kids.length <= KIDS_MAX
  if (isList && kids.every((kid) => typeof kid === 'string')) return kids
  throw refused(
    'invalid_request',
    `A licence is asked for by a list of 1 to ${KIDS_MAX} key ids in base64url: {"kids":["…"]}.`,
    'kids',
  )
}

function parsed(body: Buffer): { readonly kids?: unknown } {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return read !== null && typeof read === 'object' ? read : {}
  } catch {
    throw refused('malformed_json', 'A licence is asked for in JSON: {"kids":["…"]}.')
  }
}

/** Some write the padding that base64url has not. */
const isSameKid = (asked: string, kid: string) => asked === kid || asked === `${kid}==`

/** Of the video's keys those that were asked for. Empty of those of other videos, or of none. */
export const licenceFor = (keys: readonly DrmKey[], kids: readonly string[]): Licence => ({
  keys: keys
    .map(({ kid, key }) => ({
      kty: 'oct' as const,
      kid: kid.toString('base64url'),
      k: key.toString('base64url'),
    }))
    .filter(({ kid }) => kids.some((asked) => isSameKid(asked, kid))),
  type: 'temporary',
})
