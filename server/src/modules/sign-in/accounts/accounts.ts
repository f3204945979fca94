/** Local accounts: people whom this installation knows by a password or a passkey. */
import { refused } from '../../../kernel/errors.ts'
import { newAccountId } from '../../../kernel/ids.ts'
import { cleanTitle } from '../../../kernel/title.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { type SecretLocation, seal, unseal } from '../../../platform/crypto/wrapping.ts'
import type { Database } from '../../../platform/db/database.ts'
import { isCommonPassword } from '../passwords/common-passwords.ts'
import type { PasswordHasher } from '../passwords/password-hashing.ts'
import { fromBase32, newTotpSecret, stepOfCode, totpUri } from '../passwords/totp.ts'
import { emailKey, normalizePassword, passwordViolation } from '../sign-in.rules.ts'
import * as store from './accounts.store.ts'

export type { AccountRow } from './accounts.store.ts'

export const findAccount = store.selectAccount

export const findAccountByEmail = (db: store.AccountsDb, email: string) =>
  store.selectAccountByEmail(db, emailKey(email))

type NewAccount = {
  readonly id?: string
  readonly email: string
  readonly name: string
  /** Null for an account that is used with a passkey. */
  readonly passwordHash: string | null
}

/** Creates an account. Throws if its address has one. */
export async function createAccount(db: store.AccountsDb, given: NewAccount): Promise<string> {
  const { id = newAccountId(), email, passwordHash } = given
  const account = { id, email, emailKey: emailKey(email), name: cleanTitle(given.name, 'name'), passwordHash }
  if (!(await store.insertAccount(db, account))) {
    throw refused('account_exists', `${email} has an account already. Sign in with it, then open the link again.`)
  }
  return id
}

/** Checks a new password and returns its hash. */
export async function hashNewPassword(
  hasher: PasswordHasher,
  { password, email, network }: { readonly password: string; readonly email: string; readonly network: string },
): Promise<string> {
  const normalized = normalizePassword(password)
  const violation = passwordViolation(normalized, {
    ...{ email, bytes: Buffer.byteLength(normalized) },
    isCommon: isCommonPassword(password),
  })
  if (violation !== undefined) throw refused('invalid_password', violation, 'password')
  return hasher.hash(password, network)
}

export const setPassword = store.updatePassword

/** Returns a secret for an authenticator app. It takes effect with `enableTotp`. */
export function proposeTotp(email: string, issuer: string) {
  const secret = newTotpSecret()
  return { secret, uri: totpUri(secret, { account: email, issuer }) }
}

type Totp = { readonly secret: string; readonly code: string }

/** From now on, signing in with the password needs a code. The given code shows that the app has the secret. */
export async function enableTotp(database: Database, ring: KeyRing, id: string, { secret, code }: Totp): Promise<void> {
  const bytes = fromBase32(secret)
  const step = bytes && stepOfCode(bytes, code, Date.now())
  if (!bytes || step === undefined) {
    throw refused('invalid_code', 'The code is wrong. Check the clock of your device and use the newest code.', 'code')
  }
  const { wrapped, keyEncryptionId } = seal(ring, totpLocation(id), bytes)
  await store.updateTotp(database, { id, secret: wrapped, keyId: keyEncryptionId, step })
}

export const disableTotp = (database: Database, id: string): Promise<void> =>
  store.updateTotp(database, { id, secret: null, keyId: null, step: 0 })

type StoredTotp = { readonly id: string; readonly secret: Buffer; readonly keyId: string }

/** Whether the code is right and was not used before. */
export async function useTotpCode(database: Database, ring: KeyRing, totp: StoredTotp, code: string | undefined) {
  const { id, secret, keyId } = totp
  const step = stepOfCode(
    unseal(ring, totpLocation(id), { keyEncryptionId: keyId, wrapped: secret }),
    code ?? '',
    Date.now(),
  )
  return step !== undefined && (await store.updateTotpStep(database, id, step))
}

/** The owner of the encrypted secret, and its name in errors. */
export const totpLocation = (id: string): SecretLocation => ({
  boundTo: `accounts/${id}/totp`,
  name: `The secret of the one-time codes of account ${id}`,
})

/** Returns the account of a local person. Throws for people of an identity provider, who change theirs there. */
export async function requireAccount(database: Database, { issuer, subject }: { issuer: string; subject: string }) {
  const account = issuer === 'local' ? await findAccount(database, subject) : undefined
  if (account) return account
  throw refused(
    'not_a_local_account',
    'You signed in at an identity provider. Change your password and passkeys there.',
  )
}
