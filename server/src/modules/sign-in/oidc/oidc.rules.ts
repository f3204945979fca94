/** An identity provider as the operator has configured it. */
export type OidcProvider = {
  /** Part of its URLs here. */
  readonly id: string
  /** Name on the sign-in page. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client, which is protected by PKCE alone. */
  readonly clientSecret: string | undefined
  readonly scopes: string
  /** The value of `prompt` for a person who has to sign in again. */
  readonly prompt: string
  /** The claim that contains groups or roles of the provider, and the role of each value here. */
  readonly roles: { readonly claim: string; readonly values: Readonly<Record<string, string>> } | undefined
  /** The organization that people join when they sign in for the first time. */
  readonly justInTime: { readonly organizationId: string; readonly role: string | undefined } | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** Maximum number of values of the role claim that are looked at. */
const ROLE_VALUES_MAX = 1000

/** A role that a person gets from their provider. */
export type ProvidedRole = {
  readonly id: string
  /** The claims map to the role; else it is the default for new members. */
  readonly isMapped: boolean
}

/**
 * The role that the claims of a person map to: of several matching values, the one that the operator listed first. The
 * default role if there is none.
 */
export function roleFor({ roles, justInTime }: OidcProvider, claims: Claims): ProvidedRole | undefined {
  const given = roles && claimAt(claims, roles.claim)
  const values = (Array.isArray(given) ? given.slice(0, ROLE_VALUES_MAX) : [given]).map(String)
  const mapped = Object.entries(roles?.values ?? {}).find(([value]) => values.includes(value))
  if (mapped) return { id: mapped[1], isMapped: true }
  return justInTime?.role === undefined ? undefined : { id: justInTime.role, isMapped: false }
}

/** Reads a claim; a dot leads into an object, as in `realm_access.roles`, unless the claim's own name contains it. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isObject ? (value as Claims)[key] : undefined
  }, claims)
}

const NAME_LENGTH_MAX = 255
const EMAIL_LENGTH_MAX = 320

const textIn = (claims: Claims, names: readonly string[], lengthMax: number): string | undefined =>
  names
    .map((name) => claims[name])
    .find((value): value is string => typeof value === 'string' && value.trim() !== '')
    ?.trim()
    .slice(0, lengthMax)

/** Name and email address for lists of members. Only the subject identifies a person. */
export const profileIn = (claims: Claims, subject: string) => {
  const email = textIn(claims, ['email'], EMAIL_LENGTH_MAX)
  const name =
    textIn(claims, ['name', 'preferred_username', 'email'], NAME_LENGTH_MAX) ?? subject.slice(0, NAME_LENGTH_MAX)
  return { name, email: email?.includes('@') ? email : null }
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export type Logout = { readonly subject: string | undefined; readonly session: string | undefined; readonly id: string }

/** The sessions that a logout token ends (OpenID Connect Back-Channel Logout 1.0, 2.6). Undefined if it is invalid. */
export function logoutIn(claims: Claims): Logout | undefined {
  const { events, sub, sid, jti, nonce } = claims
  const isLogout = typeof events === 'object' && events !== null && isObject((events as Claims)[LOGOUT_EVENT])
  if (!isLogout || nonce !== undefined || typeof jti !== 'string') return undefined
  const subject = typeof sub === 'string' ? sub : undefined
  const session = typeof sid === 'string' ? sid : undefined
  return subject === undefined && session === undefined ? undefined : { subject, session, id: jti }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maximum age of the sign-in at the provider if the person was asked to sign in again. */
const FRESH_SECONDS = 600

/** Whether the provider says that the person signed in there long ago. Not all providers say when. */
export const isStale = ({ auth_time: at }: Claims, nowMs: number) =>
  typeof at === 'number' && nowMs / 1000 - at > FRESH_SECONDS
