/**
 * What a token looks like: `rk_<organization>_<secret><checksum>`.
 *
 * The prefix lets secret scanners find one in a public place; the organization tells a router where it
 * belongs; the checksum makes typos and junk fail without a look at the database.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newTokenSecret, type OrganizationId, toBase62 } from '../../kernel/ids.ts'

const form = /^rk_([a-z0-9]{6,12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

const checksumOf = (body: string) => toBase62(crc32(body), 6)

export function newTokenText(organizationId: OrganizationId): string {
  const body = `rk_${organizationId}_${newTokenSecret()}`
  return body + checksumOf(body)
}

/** The organization that a well-formed token names; whether the token is real is another question. */
export function organizationInToken(text: string): OrganizationId | undefined {
  const [, organizationId, , checksum] = form.exec(text) ?? []
  const isWhole = checksum !== undefined && checksum === checksumOf(text.slice(0, -6))
  return isWhole ? (organizationId as OrganizationId) : undefined
}

/** All that is ever stored of a token. */
export const hashOfToken = (text: string): Buffer => createHash('sha256').update(text).digest()
