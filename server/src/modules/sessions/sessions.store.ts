import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { FolderUuid, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { build, type Given, statement } from '../../platform/db/statement.ts'
import { absenceQuery } from '../../platform/db/suspension.ts'
import { isLive } from '../grants/grants.ts'
import { principalColumns } from '../tokens/tokens.ts'

type ByCookie = { readonly secretHash: Buffer; readonly idleSeconds: number }

const sessionByCookie = statement(
  ({ secretHash, idleSeconds }: Given<ByCookie>) => sql<{ id: string }>`
    select session_id as id from people.find_session(${secretHash}, ${idleSeconds})`,
)

const memberByCookie = statement(({ organizationId, secretHash, idleSeconds }: Given<ByCookie>) =>
  build
    .selectFrom('members')
    .innerJoin('tokens', (join) =>
      join.onRef('tokens.organization_id', '=', 'members.organization_id').onRef('tokens.id', '=', 'members.id'),
    )
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .innerJoin(
      sql<{ session_id: string; issuer: string; subject: string; authenticated_at: Timestamp; ends_at: Timestamp }>`
        people.find_session(${secretHash}, ${idleSeconds})`.as('session'),
      (join) => join.onRef('session.issuer', '=', 'members.issuer').onRef('session.subject', '=', 'members.subject'),
    )
    .select([
      ...principalColumns,
      'session.session_id as sessionId',
      'session.authenticated_at as authenticatedAt',
      'session.ends_at as expiresAt',
      sql<number>`extract(epoch from session.ends_at - now())::float8`.as('secondsLeft'),
    ])
    .where('members.organization_id', '=', organizationId)
    .where('members.removed_at', 'is', null)
    .where(isLive),
)

/**
 * Finds the member whom the session of a cookie belongs to, whether the session is valid at all, and whether the
 * organization is absent.
 */
export async function findMember(db: OrganizationDb, cookie: ByCookie) {
  const [[member], sessions, [absent]] = await db.run(memberByCookie(cookie), sessionByCookie(cookie), absenceQuery({}))
  return { member, hasSession: sessions.length > 0, absence: absent?.absence }
}

type MemberInUse = {
  readonly id: PrincipalId
  readonly sessionId: string
  readonly scopes: readonly Scope[]
  readonly folderUuid: FolderUuid | null
  readonly ownOnly: boolean
}

const liveMember = statement(
  ({ organizationId, id, sessionId, scopes, folderUuid, ownOnly }: Given<MemberInUse>) => sql<{ id: string }>`
    select id from tokens
    where organization_id = ${organizationId} and id = ${id} and ${isLive} and people.is_session_live(${sessionId})
      and scopes = ${scopes}::text[] and folder_uuid is not distinct from ${folderUuid} and own_only = ${ownOnly}`,
)

/** Whether the member and the session are live, with the same rights; false for an organization that is absent. */
export async function isLiveMember(db: OrganizationDb, member: MemberInUse): Promise<boolean> {
  const [rows, absences] = await db.run(liveMember(member), absenceQuery({}))
  return rows.length > 0 && absences.length === 0
}

const use = statement(({ sessionId }: Given<{ sessionId: string }>) => sql`select people.use_session(${sessionId})`)

export async function markSessionUsed(db: OrganizationDb, sessionId: string): Promise<void> {
  await db.run(use({ sessionId }))
}
