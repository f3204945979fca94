import { members as contract, type Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { FolderUuid, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** The issuer of accounts that belong to this installation. */
export const LOCAL_ISSUER = 'local'

/** A person, as the issuer describes them. */
export type Person = {
  /** `local`, or the URL of an identity provider. */
  readonly issuer: string
  /** Id of the person at the issuer. */
  readonly subject: string
  readonly name: string
  readonly email: string | null
}

export type Member = CreatorRow &
  Person & {
    readonly id: PrincipalId
    readonly roleId: string
    /** The scopes of the role. */
    readonly scopes: readonly Scope[]
    readonly folderUuid: FolderUuid | null
    readonly createdAt: Timestamp
    readonly expiresAt: Timestamp | null
    readonly lastUsedAt: Timestamp | null
    /** Null for a built-in role. */
    readonly customRoleName: string | null
  }

/** The fields that a change can change. */
export const versionOf = ({ name, email, roleId, folderUuid }: Member) => ({ name, email, roleId, folderUuid })

export function assertRoomForMember(members: number): void {
  if (members < contract.MEMBERS_MAX) return
  throw refused(
    'member_limit_reached',
    `An organization can have at most ${contract.MEMBERS_MAX.toLocaleString('en')} members. Remove one first.`,
  )
}

export const memberNotFound = () => refused('member_not_found', 'The member does not exist in this organization.')

export const notAMember = () =>
  refused(
    'member_not_found',
    'The request was made with an API token, not by a member. `tokens/current/` returns the token.',
  )

export const alreadyMember = () =>
  refused('already_member', 'This person is already a member of the organization. Change the role of the member.')

export const folderNotFound = () =>
  refused('target_folder_not_found', 'The folder does not exist in this organization.', 'folder_uuid')

/** Throws unless the organization can restore the access of the member. */
export function assertRecoverable({ issuer }: Person, belongsElsewhere: boolean): void {
  if (issuer !== LOCAL_ISSUER)
    throw refused(
      'recovery_not_available',
      `The member signs in with ${issuer}. The access is restored there, not by this service.`,
    )
  if (belongsElsewhere)
    throw refused(
      'recovery_not_available',
      'The member also belongs to another organization, to which the link would give access. Ask the operator for a recovery link.',
    )
}

/** Only owners create recovery links: a link gives all rights of the member. */
export function assertMayRecover(scopes: readonly Scope[]): void {
  if (scopes.includes('*')) return
  throw refused('insufficient_scope', 'Only owners, and tokens with the scope *, can create a recovery link.')
}
