/**
 * Recovery links: a member who has lost their passkey and password sets new ones with a one-time link of an owner.
 *
 * An account belongs to the installation, so the link of one organization would also give access to the others that the
 * person belongs to. Only the operator creates a link for such a person. This is checked when a link is created and
 * when it is used, because the person may have joined another organization since.
 */
import { refused } from '../../../kernel/errors.ts'
import type { PrincipalId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { assertMayRevoke, findGrant, type Grantor, lockUnlimitedGrant } from '../../grants/grants.ts'
import { hashOfToken, newRecoveryText } from '../../tokens/tokens.ts'
import { assertMayRecover, assertRecoverable, type Member, memberNotFound } from '../members.rules.ts'
import { findMember } from '../members.store.ts'
import * as store from './recovery-links.store.ts'

/** The secret is in the fragment, which browsers do not send, so that it is in no log. */
export const recoveryUrl = (publicUrl: string, text: string) => `${publicUrl}/recovery#${text}`

const LIFETIME_SECONDS = 24 * 3600

export type NewRecoveryLink = { readonly text: string; readonly expiresAt: Timestamp }

/** Creates a link, which replaces an earlier one. Its text is returned once and never stored. */
export async function createRecoveryLink(
  db: OrganizationDb,
  grantor: Grantor,
  memberId: PrincipalId,
): Promise<NewRecoveryLink> {
  return db.transaction(async (tx) => {
    const grant = await lockUnlimitedGrant(tx, grantor)
    assertMayRecover(grant.scopes)
    const member = await findMember(tx, memberId)
    if (!member) throw memberNotFound()
    assertMayRevoke(grant.scopes, member.scopes)
    assertRecoverable(member, grantor !== 'system' && (await store.belongsElsewhere(tx, member)))
    const text = newRecoveryText(tx.organizationId)
    const link = { memberId, secretHash: hashOfToken(text), createdBy: grant.createdBy, seconds: LIFETIME_SECONDS }
    return { text, expiresAt: await store.insertLink(tx, link) }
  })
}

/** The member of a link that can be used now. */
export async function requireRecoveryLink(db: OrganizationDb, text: string): Promise<Member> {
  return usableMember(db, await store.findLink(db, hashOfToken(text)))
}

/** Uses a link, once. The caller sets the new password or passkey of the member's account in the same transaction. */
export async function useRecoveryLink(tx: OrganizationDb, text: string): Promise<Member> {
  return usableMember(tx, await store.deleteLink(tx, hashOfToken(text)))
}

async function usableMember(db: OrganizationDb, link: store.OpenLink | undefined): Promise<Member> {
  const member = link && (await findMember(db, link.memberId))
  if (!link || !member) throw linkNotFound()
  if (link.createdBy === null) return member
  const grant = await findGrant(db, link.createdBy)
  if (!grant?.scopes.includes('*') || (await store.belongsElsewhere(db, member))) throw linkNotFound()
  return member
}

const linkNotFound = () =>
  refused('recovery_link_not_found', 'The recovery link does not exist, was used or has expired. Ask for a new one.')
