/** People who become members by signing in at an identity provider, and roles that follow their claims there. */
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { systemGrant } from '../../grants/grants.ts'
import { addMember, changeMember, findMemberByPerson, type Person, wasRemovedSince } from '../../members/members.ts'
import { findRole } from '../../roles/roles.ts'
import { lockPrincipals } from '../../tokens/tokens.ts'
import type { ProvidedRole } from './oidc.rules.ts'

const EVER = '1970-01-01T00:00:00.000000Z' as Timestamp

/**
 * Adds the person with the role, or gives a member the role that their claims map to. A person whom the organization
 * has removed does not return: an owner must invite them. Throws if the role does not exist.
 */
export async function joinByProvider(
  db: OrganizationDb,
  person: Person,
  { id, isMapped }: ProvidedRole,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPrincipals(tx)
    const member = await findMemberByPerson(tx, person)
    if (member) {
      if (isMapped && member.roleId !== id)
        await changeMember(tx, 'system', { id: member.id, roleId: id, folderUuid: undefined })
      return
    }
    if (await wasRemovedSince(tx, { ...person, since: EVER })) return
    const role = await findRole(tx, id)
    if (!role) throw new Error(`The role ${id} of the setting OIDC_PROVIDERS does not exist in ${tx.organizationId}`)
    await addMember(tx, person, { role, folderUuid: null, grant: systemGrant })
  })
}
