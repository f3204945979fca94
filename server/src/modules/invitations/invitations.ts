/**
 * Invitations are one-time links with which people become members. The rights of the person who invited are checked
 * when the link is created, and again when it is used.
 */
import { type FolderUuid, type InvitationId, newInvitationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { recordEvents } from '../events/events.ts'
import { findFolder } from '../folders/folders.ts'
import {
  assertMayGrant,
  assertMayRevoke,
  findGrant,
  type Grant,
  type Grantor,
  lockUnlimitedGrant,
  mayGrant,
  systemGrant,
} from '../grants/grants.ts'
import {
  addMember,
  alreadyMember,
  assertRoomForMember,
  countMembers,
  findMembersByEmail,
  type Member,
  type Person,
  requireFolderLimit,
  wasRemovedSince,
} from '../members/members.ts'
import { findRole, type Role, requireRoleToGive } from '../roles/roles.ts'
import { hashOfToken, lockPrincipals, newInvitationText } from '../tokens/tokens.ts'
import { memberInvited } from './invitations.events.ts'
import { assertRoomForInvitation, type Invitation, invitationNotFound, linkNotUsable } from './invitations.rules.ts'
import * as store from './invitations.store.ts'

export type { Invitation }

/** An invitation with the secret of its link, which is returned once and never stored. */
export type IssuedInvitation = Invitation & { readonly text: string }

/** The secret is in the fragment, which browsers do not send, so that it is in no log. */
export const invitationUrl = (publicUrl: string, text: string) => `${publicUrl}/invitation#${text}`

export type InvitationInput = {
  readonly email: string
  readonly roleId: string
  readonly folderUuid: string | null
  readonly seconds: number
}

export async function createInvitation(
  db: OrganizationDb,
  grantor: Grantor,
  { email, roleId, folderUuid, seconds }: InvitationInput,
): Promise<IssuedInvitation> {
  return db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const grant = await lockUnlimitedGrant(tx, grantor)
    const role = await requireRoleToGive(tx, roleId)
    assertMayGrant(grant.scopes, role.scopes, 'role')
    const folder = await requireFolderLimit(tx, folderUuid)
    if ((await findMembersByEmail(tx, email)).length > 0) throw alreadyMember()
    assertRoomForMember(await countMembers(tx))
    assertRoomForInvitation(await store.countOpenInvitations(tx))
    const text = newInvitationText(tx.organizationId)
    const invitation = await store.insertInvitation(tx, {
      ...{ id: newInvitationId(), secretHash: hashOfToken(text), email, roleId: role.id, folderUuid: folder },
      ...{ createdBy: grant.createdBy, seconds: lifetimeOf(grant, seconds) },
    })
    await recordEvents(tx, memberInvited(invitation))
    return { ...invitation, text }
  })
}

/** An invitation expires with its creator at the latest. */
const lifetimeOf = ({ expiresAt }: Grant, seconds: number) =>
  expiresAt === null ? seconds : Math.min(seconds, Math.max(1, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000)))

export async function listInvitations(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<Invitation> & { count: number }> {
  const { rows, count } = await store.selectInvitations(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

/** Revokes an invitation. Its role must not have scopes that the caller lacks. */
export async function revokeInvitation(db: OrganizationDb, grantor: Grantor, id: InvitationId): Promise<void> {
  await db.transaction(async (tx) => {
    const grant = await lockUnlimitedGrant(tx, grantor)
    const roleId = await store.deleteInvitation(tx, id)
    if (roleId === undefined) throw invitationNotFound()
    const role = await findRole(tx, roleId)
    if (role) assertMayRevoke(grant.scopes, role.scopes)
  })
}

/** The invitation of a link that can be used now. Does not use it. */
export async function requireInvitation(db: OrganizationDb, text: string): Promise<Invitation> {
  const invitation = await store.findInvitation(db, hashOfToken(text))
  if (!invitation) throw linkNotUsable()
  await requireOffer(db, invitation)
  return invitation
}

/**
 * Uses an invitation, once: the person becomes a member, as a new principal. Call it in the transaction that also
 * creates the account of the person, if there is one. If it throws, the transaction must be rolled back.
 */
export async function acceptInvitation(tx: OrganizationDb, text: string, person: Person): Promise<Member> {
  await lockPrincipals(tx)
  const invitation = await store.useInvitation(tx, hashOfToken(text))
  if (!invitation) throw linkNotUsable()
  const offer = await requireOffer(tx, invitation)
  // A person who was removed after the invitation was sent does not return with it.
  if (await wasRemovedSince(tx, { ...person, since: invitation.createdAt })) throw linkNotUsable()
  return addMember(tx, person, offer)
}

/** The rights that an invitation gives, if its creator is still allowed to give it. */
type Offer = { readonly role: Role; readonly folderUuid: FolderUuid | null; readonly grant: Grant }

async function requireOffer(db: OrganizationDb, { createdBy, roleId, folderUuid }: Invitation): Promise<Offer> {
  const grant = createdBy === null ? systemGrant : await findGrant(db, createdBy)
  const role = await findRole(db, roleId)
  const hasFolder = folderUuid === null || (await findFolder(db, folderUuid)) !== undefined
  if (!grant || !role || !mayGrant(grant, role.scopes) || !hasFolder) throw linkNotUsable()
  return { role, folderUuid, grant }
}
