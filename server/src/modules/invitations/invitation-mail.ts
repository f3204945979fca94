/** The mail with the link of an invitation. It is sent after the commit; a failure is logged and fails no request. */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Mail } from '../../platform/mail/mailer.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { readSettings } from '../organizations/organizations.ts'
import { roleSummary } from '../roles/roles.ts'
import type { Invitation } from './invitations.rules.ts'

/** Starts sending the link of an invitation to its email address. Never throws. */
export type SendInvitation = (organizationId: OrganizationId, invitation: Invitation, link: string) => void

type Dependencies = {
  readonly database: Database
  readonly logger: Logger
  readonly send: (mail: Mail) => Promise<void>
}

export const invitationSender =
  ({ database, logger, send }: Dependencies): SendInvitation =>
  (organizationId, invitation, link) => {
    const sending = async () => {
      const { name } = await readSettings(database.forOrganization(organizationId))
      await send(mailOf(invitation, name, link))
    }
    sending().catch((err: unknown) =>
      logger.warn({ err, organization_id: organizationId, invitation_id: invitation.id }, 'failed to send invitation'),
    )
  }

/** The mail of an invitation. Names come from users: they are on lines of their own and cannot add headers. */
export function mailOf(invitation: Invitation, organizationName: string, link: string): Mail {
  const [, inviter] = invitation.creator ?? []
  const text = `${inviter ?? 'The operator'} invited you to ${organizationName} on Reelkeep.

Role: ${roleSummary(invitation).name}

Open this link to join. It works once, until ${invitation.expiresAt.slice(0, 16).replace('T', ' ')} UTC:

${link}

If you did not expect this mail, ignore it. Do not forward it: everyone who has the link can use it.
`
  return { to: invitation.email, subject: `Invitation to ${organizationName}`, text }
}
