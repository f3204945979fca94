import { members as contract, type Scope } from '@reelkeep/contract'
import type { OrganizationId, PrincipalId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import { roleSummary } from '../roles/roles.ts'
import {
  changeMember,
  createRecoveryLink,
  listMembers,
  type Member,
  recoveryUrl,
  removeMember,
  requireCurrentMember,
  requireMember,
  versionOf,
} from './members.ts'

/** Registers the routes. `onChanged` runs after the rights of members may have changed. */
export function registerMemberRoutes(api: Api, onChanged: (organizationId: OrganizationId) => void): void {
  route(api, contract.listMembers, async ({ db, query, listUrl }) => {
    const filter = { roleId: query.role ?? null, text: query.q ?? null }
    return toPage(listUrl, await listMembers(db, filter, pageRequestOf(query, isUuidKey)), toWire)
  })

  route(api, contract.readCurrentMember, async ({ db, principal }) =>
    toWire(await requireCurrentMember(db, principal.id)),
  )

  route(api, contract.readMember, async ({ db, params, setVersion }) => {
    const member = await requireMember(db, params.member_id as PrincipalId)
    setVersion(versionOf(member))
    return toWire(member)
  })

  route(api, contract.updateMember, async ({ db, principal, params, headers, body, setVersion, afterCommit }) => {
    const member = await changeMember(db, principal, {
      id: params.member_id as PrincipalId,
      roleId: body.role,
      folderUuid: body.folder_uuid,
      assertVersion: preconditionOf(headers),
    })
    setVersion(versionOf(member))
    afterCommit(() => onChanged(db.organizationId))
    return toWire(member)
  })

  route(api, contract.removeMember, async ({ db, principal, params, query, afterCommit }) => {
    afterCommit(() => onChanged(db.organizationId))
    const removal = { id: params.member_id as PrincipalId, withDescendants: query.descendants ?? false }
    await removeMember(db, principal, removal)
  })

  route(api, contract.createRecoveryLink, async ({ db, principal, params }) => {
    const { text, expiresAt } = await createRecoveryLink(db, principal, params.member_id as PrincipalId)
    return { link: recoveryUrl(api.publicUrl, text), expires_at: expiresAt }
  })
}

const toWire = (member: Member): contract.Member => ({
  id: member.id,
  name: member.name,
  email: member.email,
  role: roleSummary(member),
  scopes: member.scopes as Scope[],
  folder_uuid: member.folderUuid,
  issuer: member.issuer,
  created_at: member.createdAt,
  created_by: toCreator(member),
  expires_at: member.expiresAt,
  last_active_at: member.lastUsedAt,
})
