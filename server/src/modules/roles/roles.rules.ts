import { roles as contract, includesScope, type Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { RoleId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** The permissions of a member with the role. */
export type Role = {
  readonly id: RoleId
  readonly name: string
  readonly description: string
  readonly scopes: readonly Scope[]
  /** Limits assets and upload sessions to those that the member created. */
  readonly isOwnOnly: boolean
}

export type CustomRole = Role & CreatorRow & { readonly createdAt: Timestamp }

export const builtInRoles: readonly Role[] = Object.entries(contract.builtInRoles).map(([id, role]) => ({
  id: id as RoleId,
  name: role.name,
  description: role.description,
  scopes: role.scopes,
  isOwnOnly: 'isOwnOnly' in role,
}))

export const findBuiltInRole = (id: string): Role | undefined => builtInRoles.find((role) => role.id === id)

/** Id and name of the role of a member or an invitation, whose row has the name of a custom role. */
export const roleSummary = (row: { readonly roleId: string; readonly customRoleName: string | null }) => ({
  id: row.roleId,
  name: findBuiltInRole(row.roleId)?.name ?? row.customRoleName ?? row.roleId,
})

export function assertRoomForRole(customRoles: number): void {
  if (customRoles < contract.CUSTOM_ROLES_MAX) return
  throw refused(
    'role_limit_reached',
    `An organization can have at most ${contract.CUSTOM_ROLES_MAX} custom roles. Delete one first.`,
  )
}

export function assertCustom(id: string): void {
  const role = findBuiltInRole(id)
  if (!role) return
  throw refused(
    'role_is_built_in',
    `${role.name} is a built-in role, which can be neither changed nor deleted. Create a custom role instead.`,
  )
}

export const addsScopes = (before: readonly Scope[], after: readonly Scope[]): boolean =>
  after.some((scope) => !includesScope(before, scope))

/** The added scopes would outlast a grantor that expires. */
export function assertMayAddScopes(grant: { readonly expiresAt: Timestamp | null }): void {
  if (grant.expiresAt === null) return
  throw refused(
    'insufficient_scope',
    'A token or member that expires cannot add scopes to a role. Use one that does not expire.',
    'scopes',
  )
}

/** The fields of a role that can change. */
export const versionOf = ({ name, description, scopes }: Role) => ({ name, description, scopes })

export const roleNotFound = () => refused('role_not_found', 'The role does not exist in this organization.')

export const unknownRole = (id: string) =>
  refused('unknown_role', `The role ${id} does not exist in this organization. See roles/.`, 'role')

export const roleInUse = ({ members, invitations }: { readonly members: number; readonly invitations: number }) =>
  refused(
    'role_in_use',
    `The role has ${members} ${members === 1 ? 'member' : 'members'} and ${invitations} open ${invitations === 1 ? 'invitation' : 'invitations'}. Give them another role, or revoke the invitations, first.`,
  )
