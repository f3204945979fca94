import { lengthOf } from '../../kernel/title.ts'

/** Ways to sign in. */
export const signInMethods = ['passkey', 'password', 'oidc'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** A person: who vouches for them, and their id there. */
export type Person = { readonly issuer: string; readonly subject: string }

/** Issuer of the accounts of this installation; their subject is the id of the account. */
export const LOCAL_ISSUER = 'local'

/** Returns the address as accounts are compared: two addresses that differ in case belong to one account. */
export const emailKey = (email: string) => email.trim().normalize('NFKC').toLowerCase()

export const PASSWORD_LENGTH_MIN = 12
/** Limits the work of hashing; far above any passphrase. */
export const PASSWORD_BYTES_MAX = 1024
/** A password of fewer different characters is a pattern such as `121212121212`. */
const DIFFERENT_CHARACTERS_MIN = 5

/** Returns the password as it is hashed: keyboards produce different code points for the same characters. */
export const normalizePassword = (password: string) => password.normalize('NFKC')

/** Returns the rule that a new password violates, as a sentence; undefined if it may be used. */
export function passwordViolation(
  password: string,
  { email, bytes, isCommon }: { readonly email: string; readonly bytes: number; readonly isCommon: boolean },
): string | undefined {
  const length = lengthOf(password)
  if (length < PASSWORD_LENGTH_MIN) return `The password must have at least ${PASSWORD_LENGTH_MIN} characters.`
  if (bytes > PASSWORD_BYTES_MAX) return `The password must have at most ${PASSWORD_BYTES_MAX} bytes.`
  if (password.toLowerCase() === emailKey(email)) return 'The password must not be the email address.'
  const isPattern = new Set(password).size < DIFFERENT_CHARACTERS_MIN
  if (isCommon || isPattern) return 'The password is too easy to guess. Use a longer phrase of several words.'
  return undefined
}

const RETURN_PATH_LENGTH_MAX = 1000
/** A path of this site. A second slash or a backslash would make browsers go to another site. */
const returnPathForm = /^\/(?![/\\])[^\\\p{Cc}\s]*$/u

/** The API: a link to the sign-in page must not trigger a request. */
const apiPathForm = /^\/+api(\/|$)/i

/**
 * Returns where a browser goes after the sign-in: the given path, or the start page if it leads to another site or to
 * the API.
 */
export function returnPath(given: string | undefined): string {
  if (given === undefined || given.length > RETURN_PATH_LENGTH_MAX || !returnPathForm.test(given)) return '/'
  // Browsers resolve dots, so `/a/../api/` is a path of the API.
  const url = URL.parse(given, 'https://site.invalid')
  return url && !apiPathForm.test(url.pathname) ? given : '/'
}
