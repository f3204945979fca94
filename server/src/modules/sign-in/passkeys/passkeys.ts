/**
 * Passkeys (WebAuthn): discoverable credentials with user verification, so that a passkey alone signs a person in. The
 * relying party is the host of PUBLIC_URL; a passkey for another host or origin is refused.
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { refused } from '../../../kernel/errors.ts'
import { newPasskeyId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { addChallenge, takeChallenge } from '../challenges.ts'
import { signInFailed } from '../passwords/password-sign-in.ts'
import { LOCAL_ISSUER, type Person } from '../sign-in.rules.ts'
import type { Client, SignIn } from '../sign-in.ts'
import * as store from './passkeys.store.ts'

/** Maximum number of passkeys of an account: every device and some keys. */
const PASSKEYS_MAX = 20
const RP_NAME = 'Reelkeep'

export type NewPasskeyUser = { readonly accountId: string; readonly email: string; readonly name: string }

const hostOf = ({ origin }: SignIn) => new URL(origin).hostname

/** Options for creating a passkey. The challenge is bound to the browser and to the account. */
export async function registrationOptions(signIn: SignIn, user: NewPasskeyUser, browserHash: Buffer) {
  const existing = await store.selectPasskeys(signIn.database, user.accountId)
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: hostOf(signIn),
    userID: Buffer.from(user.accountId.replaceAll('-', ''), 'hex'),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const challenge = { kind: 'passkey-registration', value: options.challenge, browserHash } as const
  await addChallenge(signIn.database, challenge, user)
  return options
}

export type VerifiedPasskey = Omit<store.NewPasskey, 'id' | 'name' | 'passkeysMax'>

type NewPasskeyResponse = {
  readonly response: object
  /** The account that the passkey must have been created for; undefined for one that does not exist yet. */
  readonly accountId?: string
}

/** Verifies a new passkey. Returns it with the user that its options were made for. */
export async function verifyNewPasskey(
  signIn: SignIn,
  { response, accountId }: NewPasskeyResponse,
  browserHash: Buffer | undefined,
): Promise<{ readonly user: NewPasskeyUser; readonly passkey: VerifiedPasskey }> {
  const value = challengeIn(response)
  const user =
    value === undefined
      ? undefined
      : await takeChallenge<NewPasskeyUser>(signIn.database, { kind: 'passkey-registration', value, browserHash })
  if (!user || value === undefined || user.accountId !== (accountId ?? user.accountId)) throw invalidPasskey()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: value,
    expectedOrigin: signIn.origin,
    expectedRPID: hostOf(signIn),
    requireUserVerification: true,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }))
  if (!verified || !registrationInfo) throw invalidPasskey()
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const credentialId = Buffer.from(id, 'base64url')
  const passkey = { accountId: user.accountId, credentialId, publicKey: Buffer.from(publicKey), counter }
  return { user, passkey: { ...passkey, transports: transports.slice(0, 10) } }
}

/** Stores a verified passkey. */
export async function savePasskey(db: Database | OrganizationDb, passkey: VerifiedPasskey, name: string) {
  const id = newPasskeyId()
  const createdAt = await store.insertPasskey(db, { ...passkey, id, name, passkeysMax: PASSKEYS_MAX })
  if (createdAt !== null) return { id, name, createdAt, lastUsedAt: null }
  throw refused('invalid_passkey', `The passkey is in use already, or the account has ${PASSKEYS_MAX} of them.`)
}

export const listPasskeys = store.selectPasskeys

/** Removes a passkey, unless the account could not be used any more without it. */
export async function removePasskey({ database, methods }: SignIn, account: Account, id: string): Promise<void> {
  const hasOtherMethods = account.hasPassword && methods.has('password')
  const outcome = await store.deletePasskey(database, { accountId: account.id, id, hasOtherMethods })
  if (outcome === null) throw refused('passkey_not_found', 'The passkey does not exist.')
  if (outcome === 'last') {
    throw refused(
      'last_sign_in_method',
      'This passkey is your only sign-in method. Add another one or set a password first.',
    )
  }
}

type Account = { readonly id: string; readonly hasPassword: boolean }

/** Options for signing in with any passkey of this service that the browser has. */
export async function signInOptions(signIn: SignIn, browserHash: Buffer) {
  const options = await generateAuthenticationOptions({ rpID: hostOf(signIn), userVerification: 'required' })
  await addChallenge(signIn.database, { kind: 'passkey-sign-in', value: options.challenge, browserHash }, {})
  return options
}

/** Returns the person whom the passkey belongs to. Throws `sign_in_failed` for every failure. */
export async function signInWithPasskey(
  signIn: SignIn,
  { response, browserHash, client }: { response: object; browserHash: Buffer | undefined; client: Client },
): Promise<Person> {
  const accountId = await verifiedAccount(signIn, response, browserHash)
  if (accountId !== undefined) return { issuer: LOCAL_ISSUER, subject: accountId }
  await signIn.report({ outcome: 'failed', method: 'passkey', person: undefined, client })
  throw signInFailed()
}

async function verifiedAccount(signIn: SignIn, response: object, browserHash: Buffer | undefined) {
  const { database } = signIn
  const { id: credentialId } = response as { id?: unknown }
  const value = challengeIn(response)
  if (typeof credentialId !== 'string' || value === undefined) return undefined
  if (!(await takeChallenge(database, { kind: 'passkey-sign-in', value, browserHash }))) return undefined
  const passkey = await store.selectPasskey(database, Buffer.from(credentialId, 'base64url'))
  if (!passkey) return undefined
  const { id, accountId, publicKey, counter } = passkey
  // The counter must grow, unless the authenticator has none: then it is always 0.
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: value,
    expectedOrigin: signIn.origin,
    expectedRPID: hostOf(signIn),
    credential: { id: credentialId, publicKey, counter },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || !authenticationInfo) return undefined
  const counters = { id, oldCounter: counter, newCounter: authenticationInfo.newCounter }
  return (await store.updateCounter(database, counters)) ? accountId : undefined
}

/** The challenge that the authenticator has signed. Undefined if the response has another form. */
function challengeIn(response: object): string | undefined {
  try {
    const { clientDataJSON } = (response as { response: { clientDataJSON: string } }).response
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

const invalidPasskey = () =>
  refused('invalid_passkey', 'The passkey could not be verified, or the request took too long. Try again.')
