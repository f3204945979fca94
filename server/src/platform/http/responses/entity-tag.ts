/**
 * Entity tags (RFC 9110, sections 8.8.3 and 13.1.1): the `ETag` of a response names the version of the resource, and
 * `If-Match` refuses a change if the resource has another version by then.
 */
import { createHash } from 'node:crypto'
import { refused } from '../../../kernel/errors.ts'

/** 128 bits, in base64url. */
const TAG_LENGTH = 22

/** Strong entity tag of a version: any JSON value that differs whenever the resource does. */
export function entityTagOf(version: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(version)).digest('base64url')
  return `"${hash.slice(0, TAG_LENGTH)}"`
}

/** The tag of a compressed response: a strong tag must differ for other bytes. `If-Match` ignores the difference. */
export const encodedEntityTag = (tag: string, encoding: 'br' | 'gzip') => tag.replace(/"$/, `-${encoding}"`)

/** Throws `changed_meanwhile` unless `If-Match` allows to change a resource that has this version. */
export type Precondition = (version: unknown) => void

/** The precondition of a request; call it where the resource is locked. Without `If-Match`, it allows every version. */
export function preconditionOf({ 'If-Match': ifMatch }: { readonly 'If-Match'?: string | undefined }): Precondition {
  return (version) => {
    if (ifMatch === undefined || ifMatch === '*' || tagsIn(ifMatch).includes(entityTagOf(version))) return
    throw refused(
      'changed_meanwhile',
      'The resource has changed since you read it. Read it again, and repeat the change with its new ETag in If-Match.',
    )
  }
}

/** The tags of the header, as for responses that are not compressed. A weak tag is kept as it is and never matches. */
const tagsIn = (header: string) =>
  (header.match(/(?:W\/)?"[^"]*"/g) ?? []).map((tag) => tag.replace(/-(?:br|gzip)"$/, '"'))
