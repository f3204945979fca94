import { invitations as contract } from '@reelkeep/contract'
import type { InvitationId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import { roleSummary } from '../roles/roles.ts'
import type { SendInvitation } from './invitation-mail.ts'
import { createInvitation, type Invitation, invitationUrl, listInvitations, revokeInvitation } from './invitations.ts'

/** Registers the routes. `send` is undefined without a mail server. */
export function registerInvitationRoutes(api: Api, send: SendInvitation | undefined): void {
  route(api, contract.createInvitation, async ({ db, principal, body, afterCommit }) => {
    const issued = await createInvitation(db, principal, {
      email: body.email,
      roleId: body.role,
      folderUuid: body.folder_uuid ?? null,
      seconds: body.expires_in_seconds ?? contract.INVITATION_SECONDS_DEFAULT,
    })
    const link = invitationUrl(api.publicUrl, issued.text)
    if (send) afterCommit(() => send(db.organizationId, issued, link))
    return { ...toWire(issued), link, mailed: send !== undefined }
  })

  route(api, contract.listInvitations, async ({ db, query, listUrl }) =>
    toPage(listUrl, await listInvitations(db, pageRequestOf(query, isUuidKey)), toWire),
  )

  route(api, contract.revokeInvitation, async ({ db, principal, params }) =>
    revokeInvitation(db, principal, params.invitation_id as InvitationId),
  )
}

const toWire = (invitation: Invitation): contract.Invitation => ({
  id: invitation.id,
  email: invitation.email,
  role: roleSummary(invitation),
  folder_uuid: invitation.folderUuid,
  created_at: invitation.createdAt,
  created_by: toCreator(invitation),
  expires_at: invitation.expiresAt,
})
