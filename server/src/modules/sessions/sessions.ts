/** The sessions of people who have signed in. A session belongs to a person, not to an organization. */
import { refused } from '../../kernel/errors.ts'
import { newSessionId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { hashOfSession, newSessionText } from '../../platform/http/access/session-cookie.ts'
import * as store from './session-life.store.ts'

export type { Membership, SessionRow } from './session-life.store.ts'

type Person = { readonly issuer: string; readonly subject: string }

type SignIn = Person & {
  readonly method: string
  readonly lifetimeSeconds: number
  /** The cookie that the browser has now. Its session ends. */
  readonly replacedText: string | undefined
  /** Id of the session at the identity provider. */
  readonly providerSession?: string | undefined
  readonly address: string
  readonly userAgent: string
}

/** Maximum length of the stored `User-Agent`. */
const USER_AGENT_LENGTH_MAX = 500

/**
 * Starts a session with a new secret. The secret of an earlier session is never used again, so a cookie that an
 * attacker has set before the sign-in gives no access.
 */
export async function startSession(database: Database, signIn: SignIn) {
  const { replacedText, providerSession, userAgent, ...rest } = signIn
  const text = newSessionText()
  const id = newSessionId()
  const { createdAt, expiresAt } = await store.insertSession(database, {
    ...rest,
    id,
    secretHash: hashOfSession(text),
    replacedHash: replacedText === undefined ? null : hashOfSession(replacedText),
    providerSession: providerSession ?? null,
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
  })
  return { text, id, method: signIn.method, createdAt, authenticatedAt: createdAt, expiresAt }
}

export const findSession = (database: Database, text: string, idleSeconds: number) =>
  store.selectSession(database, hashOfSession(text), idleSeconds)

export const listSessions = store.selectSessions

export const membershipsOf = store.selectMemberships

/** Ends one session of a person on all instances. */
export async function endSession(database: Database, person: Person, id: string): Promise<void> {
  const ended = await store.deleteSessions(database, person, { onlyId: id })
  if (ended === 0) throw refused('session_not_found', 'The session does not exist or has ended.')
}

/** Ends all sessions of a person, except the given one. */
export const endOtherSessions = async (
  db: Database | OrganizationDb,
  person: Person,
  exceptId?: string,
): Promise<void> => {
  await store.deleteSessions(db, person, exceptId === undefined ? {} : { exceptId })
}

export const endProviderSessions = store.deleteProviderSessions

const DELETED_AT_ONCE = 1000

/** Deletes what has ended: sessions, challenges, counters of attempts. */
export async function deleteEndedSessions(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await store.deleteEnded(database, DELETED_AT_ONCE)) >= DELETED_AT_ONCE);
}
