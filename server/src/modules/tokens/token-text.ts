/**
 * Token format: `rlk_<organization>_<secret><checksum>`; upload tokens start with `rlku_`, the secrets of invitations
 * with `rli_`, and those of recovery links with `rlr_`.
 *
 * Secret scanners recognize the prefix, the router reads the organization, and the checksum rejects typos without
 * a database query.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newTokenSecret, type OrganizationId, toBase62 } from '../../kernel/ids.ts'

const form = /^(?:rlku?|rli|rlr)_([a-z0-9]{6,12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

const checksumOf = (body: string) => toBase62(crc32(body), 6)

export const newTokenText = (organizationId: OrganizationId) => textWith('rlk', organizationId)
export const newUploadTokenText = (organizationId: OrganizationId) => textWith('rlku', organizationId)

export const newInvitationText = (organizationId: OrganizationId) => textWith('rli', organizationId)
export const newRecoveryText = (organizationId: OrganizationId) => textWith('rlr', organizationId)

function textWith(prefix: 'rlk' | 'rlku' | 'rli' | 'rlr', organizationId: OrganizationId): string {
  const body = `${prefix}_${organizationId}_${newTokenSecret()}`
  return body + checksumOf(body)
}

/** Whether the text is the secret of an invitation or of a recovery link. */
export const isLinkSecret = (text: string) => /^rl[ir]_/.test(text)

export const isUploadToken = (text: string) => text.startsWith('rlku_')

/** The organization in a well-formed token. Does not check that the token exists. */
export function organizationInToken(text: string): OrganizationId | undefined {
  const [, organizationId, , checksum] = form.exec(text) ?? []
  const isValid = checksum !== undefined && checksum === checksumOf(text.slice(0, -6))
  return isValid ? (organizationId as OrganizationId) : undefined
}

/** Hash of a token, the only form in which it is stored. */
export const hashOfToken = (text: string): Buffer => createHash('sha256').update(text).digest()
