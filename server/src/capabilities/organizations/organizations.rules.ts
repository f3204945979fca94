import { refused } from '../../kernel/errors.ts'
import { isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

export type Organization = {
  readonly id: OrganizationId
  readonly name: string
  /** Its videos without content protection may be watched without a token. */
  readonly isOpen: boolean
  readonly createdAt: Timestamp
}

/** Refuses a chosen id that could not stand in a path. */
export function asOrganizationId(text: string): OrganizationId {
  if (isOrganizationId(text)) return text
  throw refused(
    'invalid_request',
    'An organization id has 6 to 12 characters of a-z and 0-9.',
    'id',
  )
}
