import { refused } from '../../kernel/errors.ts'
import { isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

export type Organization = {
  readonly id: OrganizationId
  readonly name: string
  /** Whether videos without content protection play without a playback token. */
  readonly isOpen: boolean
  readonly createdAt: Timestamp
}

/** Throws unless the text is a valid organization id. */
export function parseOrganizationId(text: string): OrganizationId {
  if (isOrganizationId(text)) return text
  throw refused('invalid_request', 'An organization id must be 6 to 12 characters from a-z and 0-9.', 'id')
}
