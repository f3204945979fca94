/** The principals of sessions: the membership of the signed-in person in the organization of the request. */
import { refused } from '../../kernel/errors.ts'
import type { PrincipalId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended, organizationBeingMoved } from '../../platform/db/suspension.ts'
import type { SessionUse } from '../../platform/http/access/authenticate.ts'
import { PrincipalCache, type PrincipalSource } from '../../platform/http/access/principal-cache.ts'
import { hashOfSession } from '../../platform/http/access/session-cookie.ts'
import { limitsOf, markUsed } from '../tokens/tokens.ts'
import { findMember, isLiveMember, markSessionUsed } from './sessions.store.ts'

export type SessionCache = PrincipalCache<SessionUse>

type Options = {
  readonly database: Database
  /** A session that was not used for this long has ended. */
  readonly idleSeconds: number
  readonly onError: (error: unknown) => void
}

export const openSessionCache = (options: Options): SessionCache => new PrincipalCache(sessionPrincipals(options))

const sessionPrincipals = ({ database, idleSeconds, onError }: Options): PrincipalSource<SessionUse> => ({
  // A session that ends on another instance ends here within a second.
  cacheSeconds: 1,
  keyOf: ({ text, organizationId }) => `${text} ${organizationId}`,
  lookUp: (use) => lookUp(database, use, idleSeconds),
  isLive: async (principal) =>
    principal.session !== undefined &&
    isLiveMember(database.forOrganization(principal.organizationId), {
      ...{ id: principal.id, sessionId: principal.session.id, scopes: principal.scopes },
      folderUuid: principal.limits?.folderUuid ?? null,
      ownOnly: principal.limits?.createdBy !== undefined,
    }),
  // One session can serve several organizations, each with its own member.
  usedKeyOf: ({ id, session }) => session && `${session.id} ${id}`,
  recordUse: ({ organizationId, id, session }) =>
    session === undefined
      ? Promise.resolve()
      : recordUse(database.forOrganization(organizationId), id, session.id).catch(onError),
})

async function recordUse(db: OrganizationDb, id: PrincipalId, sessionId: string): Promise<void> {
  await markSessionUsed(db, sessionId)
  await markUsed(db, id).catch((error: unknown) => {
    // A suspended organization is read-only, so uses of its members are not recorded.
    if (!isSuspended(error)) throw error
  })
}

async function lookUp(database: Database, { text, organizationId }: SessionUse, idleSeconds: number) {
  const cookie = { secretHash: hashOfSession(text), idleSeconds }
  const { member, hasSession, absence } = await findMember(database.forOrganization(organizationId), cookie)
  if (!hasSession) return undefined
  if (absence === 'migrated') throw organizationBeingMoved()
  if (!member || absence === 'deleted') {
    throw refused('organization_not_found', 'The organization does not exist, or you are not a member of it.')
  }
  const { secondsLeft, folderUuid, ownOnly, sessionId, authenticatedAt, ...rest } = member
  const limits = limitsOf({ id: member.id, folderUuid, ownOnly })
  return {
    principal: {
      kind: 'member' as const,
      organizationId,
      ...limits,
      session: { id: sessionId, authenticatedAt },
      ...rest,
    },
    secondsLeft,
  }
}
