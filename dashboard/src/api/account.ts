/** The part of the API for people: `/api/account/`. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import type { Organization } from 'reelkeep'
import { request } from './request.ts'

export type SignInMethod = 'passkey' | 'password' | 'oidc'
type Provider = { readonly id: string; readonly name: string }
export type SignInOptions = { readonly methods: readonly SignInMethod[]; readonly providers: readonly Provider[] }

/** The name of a built-in role is English. */
export type Role = { readonly id: string; readonly name: string }

/** With the defaults for uploads, which every member may use. */
export type Membership = Pick<Organization, 'default_resolutions' | 'default_content_protection_type'> & {
  readonly organization_id: string
  readonly organization_name: string
  readonly member_id: string
  readonly role: Role
  readonly scopes: readonly string[]
  readonly folder_uuid: string | null
}

export type Me = {
  readonly person: {
    readonly issuer: string
    /** An account of this installation, with passkeys and a password. */
    readonly is_local: boolean
    readonly name: string | null
    readonly email: string | null
    readonly has_password: boolean
    readonly has_totp: boolean
  }
  readonly session: { readonly id: string; readonly authenticated_at: string; readonly expires_at: string }
  readonly memberships: readonly Membership[]
}

export type Session = {
  readonly id: string
  readonly created_at: string
  readonly last_used_at: string
  readonly user_agent: string | null
  readonly address: string | null
  readonly is_current: boolean
}

export type Passkey = {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** A secret for an authenticator app, and the same as a URI, for a QR code. */
export type TotpProposal = { readonly secret: string; readonly uri: string }

export type Invitation = SignInOptions & {
  readonly organization_name: string
  readonly email: string | null
  readonly role: Role
  readonly invited_by: string | null
  readonly expires_at: string
}

export type Recovery = Pick<SignInOptions, 'methods'> & {
  readonly name: string | null
  readonly email: string | null
}

export type Credentials = { readonly email: string; readonly password: string; readonly code?: string }

/** How a new or recovered account signs in from now on. */
export type NewCredential = { readonly password: string } | { readonly passkey: RegistrationResponseJSON }

type Options<T> = { readonly options: T }
type List<T> = { readonly results: readonly T[] }

const url = (path: string) => `/api/account/${path}`
const invitationUrl = (token: string) => url(`invitations/${encodeURIComponent(token)}/`)
const recoveryUrl = (token: string) => url(`recovery/${encodeURIComponent(token)}/`)

export const readSignInOptions = () => request<SignInOptions>('GET', url('sign-in/'))
export const signInWithPassword = (credentials: Credentials) =>
  request<void>('POST', url('sign-in/password/'), credentials)
export const readPasskeyChallenge = () =>
  request<Options<PublicKeyCredentialRequestOptionsJSON>>('POST', url('sign-in/passkey/options/'), {})
export const signInWithPasskey = (response: AuthenticationResponseJSON) =>
  request<void>('POST', url('sign-in/passkey/'), { response })

/** Address to which the browser navigates to sign in at a provider. */
export function providerUrl(provider: string, parameters: { return_to?: string; invitation?: string }): string {
  const query = new URLSearchParams(parameters).toString()
  return url(`sign-in/oidc/${encodeURIComponent(provider)}/${query ? `?${query}` : ''}`)
}

export const signOut = () => request<void>('POST', url('sign-out/'), {})
export const readMe = () => request<Me>('GET', url('me/'))
export const listSessions = async () => (await request<List<Session>>('GET', url('me/sessions/'))).results
export const endSession = (id: string) => request<void>('DELETE', url(`me/sessions/${encodeURIComponent(id)}/`))
export const endOtherSessions = () => request<void>('DELETE', url('me/sessions/'))
export const listPasskeys = async () => (await request<List<Passkey>>('GET', url('me/passkeys/'))).results
export const readNewPasskeyOptions = () =>
  request<Options<PublicKeyCredentialCreationOptionsJSON>>('POST', url('me/passkeys/options/'), {})
export const addPasskey = (passkey: { name: string; response: RegistrationResponseJSON }) =>
  request<Passkey>('POST', url('me/passkeys/'), passkey)
export const removePasskey = (id: string) => request<void>('DELETE', url(`me/passkeys/${encodeURIComponent(id)}/`))
export const changePassword = (password: string) => request<void>('PUT', url('me/password/'), { password })
export const proposeTotp = () => request<TotpProposal>('POST', url('me/totp/'), {})
export const enableTotp = (totp: { readonly secret: string; readonly code: string }) =>
  request<void>('PUT', url('me/totp/'), totp)
export const disableTotp = () => request<void>('DELETE', url('me/totp/'))

export const readInvitation = (token: string) => request<Invitation>('GET', invitationUrl(token))
export const readInvitationPasskeyOptions = (token: string, name: string) =>
  request<Options<PublicKeyCredentialCreationOptionsJSON>>('POST', `${invitationUrl(token)}passkey-options/`, { name })
/** Without an account, joins as the person who is signed in. */
export const acceptInvitation = (token: string, account?: NewCredential & { readonly name: string }) =>
  request<void>('POST', `${invitationUrl(token)}accept/`, account ?? {})

export const readRecovery = (token: string) => request<Recovery>('GET', recoveryUrl(token))
export const readRecoveryPasskeyOptions = (token: string) =>
  request<Options<PublicKeyCredentialCreationOptionsJSON>>('POST', `${recoveryUrl(token)}passkey-options/`, {})
export const recover = (token: string, credential: NewCredential) =>
  request<void>('POST', recoveryUrl(token), credential)
