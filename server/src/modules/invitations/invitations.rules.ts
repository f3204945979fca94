import { invitations as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { FolderUuid, InvitationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** An open invitation. */
export type Invitation = CreatorRow & {
  readonly id: InvitationId
  readonly email: string
  readonly roleId: string
  /** Null for a built-in role. */
  readonly customRoleName: string | null
  readonly folderUuid: FolderUuid | null
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

export function assertRoomForInvitation(open: number): void {
  if (open < contract.OPEN_INVITATIONS_MAX) return
  throw refused(
    'invitation_limit_reached',
    `An organization can have at most ${contract.OPEN_INVITATIONS_MAX.toLocaleString('en')} open invitations. Revoke one first.`,
  )
}

export const invitationNotFound = () =>
  refused('invitation_not_found', 'The invitation does not exist, was used or revoked, or has expired.')

/** The same error for every reason, because the link may be in the wrong hands. */
export const linkNotUsable = () =>
  refused(
    'invitation_not_found',
    'The invitation was used or revoked, has expired, or its sender can no longer give this role. Ask for a new one.',
  )
