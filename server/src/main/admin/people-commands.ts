import { invitations as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import { createInvitation, invitationUrl } from '../../modules/invitations/invitations.ts'
import { createRecoveryLink, findMembersByEmail, recoveryUrl } from '../../modules/members/members.ts'
import { requireOrganization } from '../../modules/organizations/organizations.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { UsageError } from '../command-io.ts'
import { type Commands, needed } from './command.ts'

export const peopleCommands = {
  'invite-owner': async (database, { positionals: [organization, email] }, { PUBLIC_URL: url }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    return { invitation_link: await ownerLink(db, url, asEmail(needed(email, 'EMAIL'))) }
  },
  'recovery-link': async (database, { positionals: [organization, email] }, { PUBLIC_URL: url }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const [member, other] = await findMembersByEmail(db, asEmail(needed(email, 'EMAIL')))
    if (!member) throw refused('member_not_found', `No member has the address ${email}.`)
    if (other) throw refused('invalid_request', `Several members have the address ${email}. Use the API.`)
    const { text, expiresAt } = await createRecoveryLink(db, 'system', member.id)
    return { recovery_link: recoveryUrl(url, text), expires_at: expiresAt }
  },
} satisfies Commands

/** A one-time link with which a person becomes an owner. */
export async function ownerLink(db: OrganizationDb, publicUrl: string, email: string): Promise<string> {
  const input = { email, roleId: 'owner', folderUuid: null, seconds: contract.INVITATION_SECONDS_DEFAULT }
  const { text } = await createInvitation(db, 'system', input)
  return invitationUrl(publicUrl, text)
}

export function asEmail(text: string): string {
  if (contract.isEmail(text)) return text
  throw new UsageError(`${text} is not an email address.`)
}
