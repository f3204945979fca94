/**
 * Sign-in with a password.
 *
 * Every attempt is counted before the password is compared, so concurrent guesses cannot exceed the limit. A refused
 * attempt does the same work and gets the same response, whether the account is locked, does not exist, has no
 * password, or the password is wrong.
 */
import { createHash } from 'node:crypto'
import { refused } from '../../../kernel/errors.ts'
import { type AttemptKeys, beginPasswordSignIn, recordSignIn } from '../accounts/accounts.store.ts'
import { setPassword, useTotpCode } from '../accounts/accounts.ts'
import { emailKey, LOCAL_ISSUER, type Person } from '../sign-in.rules.ts'
import type { Client, SignIn } from '../sign-in.ts'

type Given = { readonly email: string; readonly password: string; readonly code?: string | undefined }

/** Delay until a failed sign-in is in the audit log. A process that is killed meanwhile loses it. */
const REPORT_DELAY_MS = 200

/** Returns the person whom email and password belong to. Throws `sign_in_failed` for every failure. */
export async function signInWithPassword(signIn: SignIn, given: Given, client: Client): Promise<Person> {
  const { database, hasher, attempts } = signIn
  const key = emailKey(given.email)
  const keys = attemptKeys(key, client.network)
  const attempt = await beginPasswordSignIn(database, { emailKey: key, ...keys, ...attempts })
  const { accountId, passwordHash, isLocked } = attempt
  const isRight = await hasher.isRight(passwordHash ?? undefined, given.password, client.network)
  const isAccepted = isRight && !isLocked && accountId !== null && (await hasRightCode(signIn, attempt, given.code))
  if (!isAccepted) {
    const person = accountId === null ? undefined : { issuer: LOCAL_ISSUER, subject: accountId }
    // Long after the response: its time must not depend on whether the person exists.
    setTimeout(() => void signIn.report({ outcome: 'failed', method: 'password', person, client }), REPORT_DELAY_MS)
    throw signInFailed()
  }
  await recordSignIn(database, accountId, keys)
  if (passwordHash !== null && hasher.isOutdated(passwordHash)) {
    await setPassword(database, accountId, await hasher.hash(given.password, client.network))
  }
  return { issuer: LOCAL_ISSUER, subject: accountId }
}

type TotpRow = {
  readonly accountId: string | null
  readonly totpSecret: Buffer | null
  readonly totpKeyId: string | null
}

async function hasRightCode({ database, ring }: SignIn, row: TotpRow, code: string | undefined): Promise<boolean> {
  const { accountId: id, totpSecret: secret, totpKeyId: keyId } = row
  if (id === null || secret === null || keyId === null) return true
  return useTotpCode(database, ring, { id, secret, keyId }, code)
}

/** The counters of an attempt: of the account, of the network, and of both together. */
export const attemptKeys = (key: string, network: string): AttemptKeys => ({
  accountKey: hashOf('account', key),
  networkKey: hashOf('network', network),
  knownKey: hashOf('known', key, network),
})

const hashOf = (...texts: string[]) => createHash('sha256').update(texts.join('\0')).digest()

/** The same text for all reasons: it does not reveal whether the account exists or is locked. */
export const signInFailed = () =>
  refused(
    'sign_in_failed',
    'Sign-in failed. Check your email address, password and code. After several failed attempts, wait 15 minutes or ' +
      'use a passkey.',
  )
