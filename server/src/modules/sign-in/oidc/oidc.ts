/** Sign-in at an identity provider: OpenID Connect, authorization code with PKCE, state and nonce. */
import { randomBytes } from 'node:crypto'
import { DomainError } from '../../../kernel/errors.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { type SecretLocation, seal, unseal } from '../../../platform/crypto/wrapping.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { endProviderSessions, membershipsOf } from '../../sessions/sessions.ts'
import { addChallenge, isFirstUse, takeChallenge } from '../challenges.ts'
import { returnPath } from '../sign-in.rules.ts'
import { type Client, completeSignIn, type SignIn } from '../sign-in.ts'
import { isStale, logoutIn, type OidcProvider, type ProvidedRole, profileIn, roleFor } from './oidc.rules.ts'
import type { OidcClient } from './oidc-client.ts'

export type { OidcProvider } from './oidc.rules.ts'

/** A person with the profile that their provider has sent. */
export type ProvidedPerson = {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly email: string | null
}

/** How people of a provider become members. Passed in by main. */
export type Joining = {
  /** Accepts an invitation. Throws if it is unknown, used, revoked or expired. */
  readonly acceptInvitation: (token: string, person: ProvidedPerson) => Promise<void>
  /** Makes the person a member of the organization with this role, or gives an existing member the role. */
  readonly join: (organizationId: string, person: ProvidedPerson, role: ProvidedRole) => Promise<void>
}

export type Oidc = {
  readonly client: OidcClient
  readonly providers: readonly OidcProvider[]
  readonly joining: Joining
  readonly logger: Pick<Logger, 'warn'>
}

/** What is kept between the request to the provider and its response. */
type Pending = {
  readonly provider: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly returnTo: string
  readonly isAgain: boolean
  /** Encrypted, because the token of an invitation gives access until it is used. */
  readonly invitation?: { readonly keyId: string; readonly wrapped: string }
}

type Begin = {
  readonly provider: OidcProvider
  readonly returnTo: string | undefined
  readonly invitation: string | undefined
  /** Whether the browser has a session, so that the person has to prove again who they are. */
  readonly isAgain: boolean
  readonly browserHash: Buffer
}

/** Returns the URL at the provider to which the browser is redirected. */
export async function beginOidc(signIn: SignIn, { client }: Oidc, begin: Begin): Promise<string> {
  const [state, nonce, codeVerifier] = [randomText(), randomText(), randomText()]
  const { provider, browserHash, invitation, isAgain } = begin
  const request = { redirectUrl: callbackUrl(signIn, provider), state, nonce, codeVerifier, isAgain }
  const url = await client.authorizationUrl(provider, request)
  const pending: Pending = {
    ...{ provider: provider.id, nonce, codeVerifier, isAgain, returnTo: returnPath(begin.returnTo) },
    ...(invitation !== undefined && { invitation: sealed(signIn.ring, state, invitation) }),
  }
  await addChallenge(signIn.database, { kind: 'oidc', value: state, browserHash }, pending)
  return url.href
}

type Callback = {
  readonly provider: OidcProvider
  /** Query of the callback, with its question mark. */
  readonly query: string
  readonly state: string
  readonly browserHash: Buffer | undefined
  readonly client: Client
}

/** Why a sign-in at a provider failed, for the sign-in page. */
export type OidcFailure = 'sign_in_failed' | 'not_a_member' | 'invitation_invalid'

type Completed = {
  readonly returnTo: string
  readonly started: Awaited<ReturnType<typeof completeSignIn>>
}

/** Completes a sign-in when the browser comes back from the provider. */
export async function completeOidc(signIn: SignIn, oidc: Oidc, callback: Callback): Promise<Completed | OidcFailure> {
  const { provider, state, browserHash, client } = callback
  const pending = await takeChallenge<Pending>(signIn.database, { kind: 'oidc', value: state, browserHash })
  if (pending?.provider !== provider.id) return failed(signIn, client)
  const url = new URL(callbackUrl(signIn, provider) + callback.query)
  const { nonce, codeVerifier } = pending
  let verified: Verified
  try {
    verified = await exchange(oidc, provider, { url, state, nonce, codeVerifier })
  } catch (err) {
    oidc.logger.warn({ err, provider: provider.id }, 'sign-in at identity provider failed')
    return failed(signIn, client)
  }
  if (pending.isAgain && isStale(verified.claims, Date.now())) return failed(signIn, client)
  const { person, providerSession } = verified
  const isJoined = await joinOrganizations(signIn, oidc, { provider, state, pending, verified })
  if (!isJoined) return 'invitation_invalid'
  if ((await membershipsOf(signIn.database, person)).length === 0) return 'not_a_member'
  const started = await completeSignIn(signIn, { person, method: 'oidc', providerSession }, client)
  return { returnTo: pending.returnTo, started }
}

type Verified = {
  readonly person: ProvidedPerson
  readonly claims: Readonly<Record<string, unknown>>
  readonly providerSession: string | undefined
}

async function exchange(
  { client }: Oidc,
  provider: OidcProvider,
  response: Parameters<OidcClient['exchangeCode']>[1],
): Promise<Verified> {
  const claims = await client.exchangeCode(provider, response)
  const { iss: issuer, sub: subject } = claims
  const sid: unknown = claims['sid']
  return {
    claims,
    person: { issuer, subject, ...profileIn(claims, subject) },
    providerSession: typeof sid === 'string' ? sid : undefined,
  }
}

type Join = {
  readonly provider: OidcProvider
  readonly state: string
  readonly pending: Pending
  readonly verified: Verified
}

/** Accepts the invitation, or joins the provider's organization. Returns false if the invitation is not valid. */
async function joinOrganizations({ ring }: SignIn, { joining, logger }: Oidc, join: Join): Promise<boolean> {
  const { provider, state, pending, verified } = join
  const { person, claims } = verified
  if (pending.invitation) {
    try {
      await joining.acceptInvitation(unsealed(ring, state, pending.invitation), person)
    } catch (error) {
      if (error instanceof DomainError) return false
      throw error
    }
    return true
  }
  const role = roleFor(provider, claims)
  if (!provider.justInTime || role === undefined) return true
  try {
    await joining.join(provider.justInTime.organizationId, person, role)
  } catch (err) {
    // The person keeps the role they have, for example because an organization needs an owner.
    logger.warn({ err, provider: provider.id, role: role.id }, 'failed to apply role of identity provider')
  }
  return true
}

function failed(signIn: SignIn, client: Client): OidcFailure {
  void signIn.report({ outcome: 'failed', method: 'oidc', person: undefined, client })
  return 'sign_in_failed'
}

/** How long the ids of logout tokens are remembered: longer than such a token is accepted. */
const LOGOUT_ID_SECONDS = 1200

/** Ends the sessions that a logout token names. Returns false if the token is invalid or was used before. */
export async function logOutAtProvider(signIn: SignIn, oidc: Oidc, provider: OidcProvider, token: string) {
  try {
    const claims = await oidc.client.verifyLogoutToken(provider, token)
    const logout = logoutIn(claims)
    if (!logout) return false
    if (!(await isFirstUse(signIn.database, `logout ${provider.id} ${logout.id}`, LOGOUT_ID_SECONDS))) return false
    const { subject = null, session = null } = logout
    await endProviderSessions(signIn.database, { issuer: String(claims['iss']), subject, session })
    return true
  } catch (err) {
    oidc.logger.warn({ err, provider: provider.id }, 'refused logout token of identity provider')
    return false
  }
}

export const callbackUrl = ({ origin }: SignIn, { id }: OidcProvider) =>
  `${origin}/api/account/sign-in/oidc/${id}/callback`

const randomText = () => randomBytes(32).toString('base64url')

const invitationLocation = (state: string): SecretLocation => ({
  boundTo: `challenges/${state}`,
  name: 'The invitation of a sign-in',
})

function sealed(ring: KeyRing, state: string, invitation: string) {
  const { keyEncryptionId: keyId, wrapped } = seal(ring, invitationLocation(state), Buffer.from(invitation))
  return { keyId, wrapped: wrapped.toString('base64') }
}

const unsealed = (ring: KeyRing, state: string, { keyId, wrapped }: NonNullable<Pending['invitation']>): string =>
  unseal(ring, invitationLocation(state), {
    keyEncryptionId: keyId,
    wrapped: Buffer.from(wrapped, 'base64'),
  }).toString()
