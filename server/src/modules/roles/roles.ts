/**
 * Roles are named sets of scopes: the built-in ones are constants, and an organization can add its own. Changes of
 * roles and members take turns, so that a member never has the scopes of an earlier version of its role.
 */
import type { Scope } from '@reelkeep/contract'
import { newRoleId, type RoleId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import type { Precondition } from '../../platform/http/responses/entity-tag.ts'
import { recordEvents } from '../events/events.ts'
import { assertMayGrant, type Grantor, lockUnlimitedGrant } from '../grants/grants.ts'
import { lockPrincipals, notifyPrincipalsEnded } from '../tokens/tokens.ts'
import { roleCreated, roleDeleted, roleUpdated } from './roles.events.ts'
import {
  addsScopes,
  assertCustom,
  assertMayAddScopes,
  assertRoomForRole,
  builtInRoles,
  type CustomRole,
  findBuiltInRole,
  type Role,
  roleInUse,
  roleNotFound,
  roleSummary,
  unknownRole,
  versionOf,
} from './roles.rules.ts'
import * as store from './roles.store.ts'

export type { CustomRole, Role }
export { roleSummary, versionOf }

/** A role with its number of members. */
export type CountedRole = (Role | CustomRole) & { readonly memberCount: number }

/** The built-in roles, then the custom ones, oldest first. */
export async function listRoles(db: OrganizationDb): Promise<CountedRole[]> {
  const [roles, counts] = await Promise.all([store.selectRoles(db), store.countMembersByRole(db)])
  return [...builtInRoles, ...roles].map((role) => ({ ...role, memberCount: counts.get(role.id) ?? 0 }))
}

export async function requireRole(db: OrganizationDb, id: RoleId): Promise<CountedRole> {
  const role = await findRole(db, id)
  if (!role) throw roleNotFound()
  return withCount(db, role)
}

/** The role with this id, built-in or custom. */
export async function findRole(db: OrganizationDb, id: string): Promise<Role | CustomRole | undefined> {
  return findBuiltInRole(id) ?? (isUuidKey([id]) ? store.findRole(db, id as RoleId) : undefined)
}

/** The role that a request asks for. Lock the principals before, so that the role does not change. */
export async function requireRoleToGive(tx: OrganizationDb, id: string): Promise<Role> {
  const role = await findRole(tx, id)
  if (!role) throw unknownRole(id)
  return role
}

export type RoleInput = {
  readonly name: string
  readonly description: string
  readonly scopes: readonly Scope[]
}

export async function createRole(db: OrganizationDb, grantor: Grantor, input: RoleInput): Promise<CountedRole> {
  const name = cleanTitle(input.name, 'name')
  return db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    assertMayGrant(grant.scopes, input.scopes)
    assertRoomForRole((await store.selectRoles(tx)).length)
    const role = await store.insertRole(tx, { ...input, name, id: newRoleId(), createdBy: grant.createdBy })
    await recordEvents(tx, roleCreated(role))
    return { ...role, memberCount: 0 }
  })
}

type RoleChange = Partial<RoleInput> & {
  readonly id: RoleId
  /** Throws unless the role may be changed in its current version. */
  readonly assertVersion?: Precondition
}

/** Changes a custom role and the scopes of all members who have it. */
export async function changeRole(db: OrganizationDb, grantor: Grantor, change: RoleChange): Promise<CountedRole> {
  assertCustom(change.id)
  return db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    const before = await requireCustomRole(tx, change.id)
    change.assertVersion?.(versionOf(before))
    const { name = before.name, description = before.description, scopes = before.scopes } = change
    assertMayGrant(grant.scopes, before.scopes)
    assertMayGrant(grant.scopes, scopes)
    if (addsScopes(before.scopes, scopes)) assertMayAddScopes(grant)
    const wanted = { id: change.id, name: cleanTitle(name, 'name'), description, scopes }
    if (JSON.stringify(versionOf(before)) === JSON.stringify(versionOf({ ...before, ...wanted })))
      return withCount(tx, before)
    const role = await store.updateRole(tx, wanted)
    if (change.scopes) {
      await store.updateScopesOfMembers(tx, role.id, role.scopes)
      await notifyPrincipalsEnded(tx)
    }
    await recordEvents(tx, roleUpdated(role))
    return withCount(tx, role)
  })
}

export async function deleteRole(db: OrganizationDb, grantor: Grantor, id: RoleId): Promise<void> {
  assertCustom(id)
  await db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    const role = await requireCustomRole(tx, id)
    assertMayGrant(grant.scopes, role.scopes)
    const uses = await store.countUses(tx, id)
    if (uses.members + uses.invitations > 0) throw roleInUse(uses)
    await store.deleteRole(tx, id)
    await recordEvents(tx, roleDeleted(role))
  })
}

async function requireCustomRole(tx: OrganizationDb, id: RoleId): Promise<CustomRole> {
  const role = isUuidKey([id]) ? await store.findRole(tx, id) : undefined
  if (!role) throw roleNotFound()
  return role
}

const withCount = async (db: OrganizationDb, role: Role | CustomRole): Promise<CountedRole> => ({
  ...role,
  memberCount: (await store.countMembersByRole(db)).get(role.id) ?? 0,
})
