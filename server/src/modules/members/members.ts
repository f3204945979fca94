/**
 * Members are people who act for an organization. A member is a principal, like a token: its rights are in the row of
 * `tokens` with the same id. Changes of members and roles take turns, so that at least one owner always remains.
 */
import { type FolderUuid, newTokenId, type PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { toValidTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import type { Precondition } from '../../platform/http/responses/entity-tag.ts'
import { recordEvents } from '../events/events.ts'
import { findFolder } from '../folders/folders.ts'
import {
  assertMayGrant,
  assertMayRevoke,
  assertOwnerRemains,
  type Grant,
  type Grantor,
  lockUnlimitedGrant,
} from '../grants/grants.ts'
import { type Role, requireRoleToGive } from '../roles/roles.ts'
import { endPrincipals, lockPrincipals, notifyPrincipalsEnded } from '../tokens/tokens.ts'
import { memberChanged, memberJoined } from './members.events.ts'
import {
  alreadyMember,
  assertRoomForMember,
  folderNotFound,
  LOCAL_ISSUER,
  type Member,
  memberNotFound,
  notAMember,
  type Person,
  versionOf,
} from './members.rules.ts'
import * as store from './members.store.ts'
import { createRecoveryLink, recoveryUrl, requireRecoveryLink, useRecoveryLink } from './recovery/recovery-links.ts'

export type { Member, Person }
export {
  alreadyMember,
  assertRoomForMember,
  createRecoveryLink,
  LOCAL_ISSUER,
  recoveryUrl,
  requireRecoveryLink,
  useRecoveryLink,
  versionOf,
}
export const { countMembers, findMember, findMemberByPerson, findMembersByEmail, wasRemovedSince } = store

export async function listMembers(
  db: OrganizationDb,
  filter: store.MemberFilter,
  request: PageRequest,
): Promise<RowPage<Member> & { count: number }> {
  const { rows, count } = await store.selectMembers(db, filter, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

export async function requireMember(db: OrganizationDb, id: PrincipalId): Promise<Member> {
  const member = await store.findMember(db, id)
  if (!member) throw memberNotFound()
  return member
}

/** The member who makes the request. */
export async function requireCurrentMember(db: OrganizationDb, id: PrincipalId): Promise<Member> {
  const member = await store.findMember(db, id)
  if (!member) throw notAMember()
  return member
}

/** The folder that a request limits a member to; null for no limit. */
export async function requireFolderLimit(tx: OrganizationDb, folderUuid: string | null): Promise<FolderUuid | null> {
  if (folderUuid === null) return null
  const folder = await findFolder(tx, folderUuid)
  if (!folder) throw folderNotFound()
  return folder.uuid
}

type NewMember = {
  readonly role: Role
  readonly folderUuid: FolderUuid | null
  readonly grant: Pick<Grant, 'createdBy' | 'expiresAt'>
}

/** Adds a person as a new principal, also if they were a member before. The caller has locked the principals. */
export async function addMember(
  tx: OrganizationDb,
  person: Person,
  { role, folderUuid, grant }: NewMember,
): Promise<Member> {
  if (await store.findMemberByPerson(tx, person)) throw alreadyMember()
  assertRoomForMember(await store.countMembers(tx))
  const id = newTokenId()
  await store.insertMember(tx, {
    ...{ id, issuer: person.issuer, subject: person.subject, email: person.email },
    name: toValidTitle(person.name) || toValidTitle(person.email ?? '') || 'Member',
    ...rightsOf(role, folderUuid, grant.expiresAt),
    createdBy: grant.createdBy,
  })
  const member = await requireMember(tx, id)
  await recordEvents(tx, memberJoined(member))
  return member
}

const rightsOf = (role: Role, folderUuid: FolderUuid | null, expiresAt: Timestamp | null) => ({
  roleId: role.id,
  scopes: role.scopes,
  isOwnOnly: role.isOwnOnly,
  folderUuid,
  expiresAt,
})

type MemberChange = {
  readonly id: PrincipalId
  /** Undefined fields stay unchanged. */
  readonly roleId: string | undefined
  readonly folderUuid: string | null | undefined
  /** Throws unless the member may be changed in its current version. */
  readonly assertVersion?: Precondition
}

/** Gives a member another role or folder. From then on it expires with the grantor. */
export async function changeMember(db: OrganizationDb, grantor: Grantor, change: MemberChange): Promise<Member> {
  const { id, roleId, folderUuid } = change
  return db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    const before = await requireMember(tx, id)
    change.assertVersion?.(versionOf(before))
    assertMayRevoke(grant.scopes, before.scopes)
    const role = await requireRoleToGive(tx, roleId ?? before.roleId)
    assertMayGrant(grant.scopes, role.scopes, 'role')
    const folder = folderUuid === undefined ? before.folderUuid : await requireFolderLimit(tx, folderUuid)
    if (role.id === before.roleId && folder === before.folderUuid) return before
    await store.updateRights(tx, { id, ...rightsOf(role, folder, grant.expiresAt) })
    if (before.scopes.includes('*')) await assertOwnerRemains(tx)
    await notifyPrincipalsEnded(tx)
    const member = await requireMember(tx, id)
    await recordEvents(tx, memberChanged(member))
    return member
  })
}

type Removal = { readonly id: PrincipalId; readonly withDescendants: boolean }

/** Ends a membership, also with everything that the member created. */
export async function removeMember(
  db: OrganizationDb,
  grantor: Grantor,
  { id, withDescendants }: Removal,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    await requireMember(tx, id)
    await endPrincipals(tx, grant, { id, withDescendants })
  })
}
