import { roleSummary } from '../roles/roles.ts'
import type { SessionRow } from '../sessions/sessions.ts'
import type { describePerson } from './sign-in.ts'

type Described = Awaited<ReturnType<typeof describePerson>>

/** The signed-in person, their session and their organizations. */
export const toMe = ({ session, account, memberships, isLocal }: Described) => ({
  person: {
    issuer: session.issuer,
    is_local: isLocal,
    name: account?.name ?? memberships[0]?.name ?? null,
    email: account?.email ?? memberships[0]?.email ?? null,
    has_password: account?.hasPassword ?? false,
    has_totp: account ? account.totpSecret !== null : false,
  },
  session: {
    id: session.id,
    method: session.method,
    created_at: session.createdAt,
    authenticated_at: session.authenticatedAt,
    expires_at: session.expiresAt,
  },
  memberships: memberships.map((membership) => ({
    organization_id: membership.organizationId,
    organization_name: membership.organizationName,
    member_id: membership.memberId,
    role: roleSummary(membership),
    scopes: membership.scopes,
    folder_uuid: membership.folderUuid,
    default_resolutions: membership.defaultResolutions,
    default_content_protection_type: membership.defaultContentProtection,
  })),
})

export const toSession = (session: SessionRow, currentId: string) => ({
  id: session.id,
  is_current: session.id === currentId,
  method: session.method,
  created_at: session.createdAt,
  last_used_at: session.lastUsedAt,
  expires_at: session.expiresAt,
  address: session.address,
  user_agent: session.userAgent,
})
