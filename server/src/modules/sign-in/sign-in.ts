/**
 * Sign-in of people: with a password or a passkey of a local account, or at an identity provider (OpenID Connect). Each
 * method ends with `completeSignIn`, which starts a session.
 */
import type { ErrorCode } from '@reelkeep/contract'
import type { Timestamp } from '../../kernel/time.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { Database } from '../../platform/db/database.ts'
import { findSession, type Membership, membershipsOf, startSession } from '../sessions/sessions.ts'
import { findAccount } from './accounts/accounts.ts'
import type { PasswordHasher } from './passwords/password-hashing.ts'
import { LOCAL_ISSUER, type Person, type SignInMethod } from './sign-in.rules.ts'

export type { Person, SignInMethod } from './sign-in.rules.ts'

/** Dependencies and settings of sign-in. */
export type SignIn = {
  readonly database: Database
  readonly hasher: PasswordHasher
  /** Keys that encrypt the secrets of one-time codes. */
  readonly ring: KeyRing
  /** The methods that the operator allows. */
  readonly methods: ReadonlySet<SignInMethod>
  /** Public origin of the service. */
  readonly origin: string
  readonly attempts: AttemptLimits
  readonly sessions: { readonly lifetimeSeconds: number; readonly idleSeconds: number }
  /** Returns the record of a change that a person makes without being a member yet. */
  readonly recordFor: (change: PersonChange) => ChangeRecord
  /** Records what a person did in the audit logs of their organizations. Never rejects. */
  readonly record: (memberships: readonly Membership[], action: PersonAction) => Promise<void>
  /** Called for each sign-in and each failed one. Resolves when it is in the audit logs; never rejects. */
  readonly report: (report: SignInReport) => Promise<void>
}

export type PersonAction = {
  readonly action: string
  /** Null if it succeeded. */
  readonly errorCode: ErrorCode | null
  readonly client: Client
  readonly requestId: string | null
}

export type PersonChange = { readonly action: string; readonly name: string; readonly client?: Client }

export type AttemptLimits = {
  /** Failed attempts for one account before it is locked. */
  readonly accountMax: number
  /** Failed attempts from one network before it is locked. */
  readonly networkMax: number
  /** Duration of the first lock. */
  readonly lockSeconds: number
}

export type SignInReport = {
  readonly outcome: 'signed_in' | 'failed'
  readonly method: SignInMethod
  /** Undefined if the person is unknown. */
  readonly person: Person | undefined
  readonly client: Client
}

/** The browser that a request comes from. */
export type Client = {
  readonly ip: string
  /** The network by which attempts are counted. */
  readonly network: string
  readonly userAgent: string
  /** The session cookie of the request. */
  readonly sessionText: string | undefined
}

export type CurrentSession = Person & {
  readonly id: string
  readonly method: string | null
  readonly createdAt: Timestamp
  readonly authenticatedAt: Timestamp
  readonly expiresAt: Timestamp
}

type Completed = {
  readonly person: Person
  readonly method: SignInMethod
  readonly providerSession?: string | undefined
}

/** Starts a session for a person who has proven who they are. Ends the session that the browser had. */
export async function completeSignIn(signIn: SignIn, { person, method, providerSession }: Completed, client: Client) {
  const { issuer, subject } = person
  const { text, ...session } = await startSession(signIn.database, {
    ...{ issuer, subject, method, providerSession },
    lifetimeSeconds: signIn.sessions.lifetimeSeconds,
    replacedText: client.sessionText,
    address: client.ip,
    userAgent: client.userAgent,
  })
  await signIn.report({ outcome: 'signed_in', method, person: { issuer, subject }, client })
  return { text, session: { ...session, issuer, subject } }
}

/** The session of a cookie; undefined without a session that can be used. */
export const currentSession = (
  { database, sessions }: SignIn,
  text: string | undefined,
): Promise<CurrentSession | undefined> =>
  text === undefined ? Promise.resolve(undefined) : findSession(database, text, sessions.idleSeconds)

/** The signed-in person with the organizations they belong to. */
export async function describePerson({ database }: SignIn, session: CurrentSession) {
  const isLocal = session.issuer === LOCAL_ISSUER
  const [account, memberships] = await Promise.all([
    isLocal ? findAccount(database, session.subject) : undefined,
    membershipsOf(database, session),
  ])
  return { session, account, memberships, isLocal }
}
