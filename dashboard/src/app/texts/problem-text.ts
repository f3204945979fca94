import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type ApiProblem, problemOf, UNREACHABLE } from '../../api/request.ts'
import { minutesUp } from './times.ts'

const SECONDS_SHOWN_MAX = 90

/** Errors of the browser, and those of the library for passkeys, which have the name of the browser's error. */
const isPasskeyError = (error: unknown): error is Error =>
  error instanceof DOMException ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERROR_'))

/** Parts of the dashboard are loaded when they are needed. The texts of Chromium, Firefox and Safari. */
const isModuleMissing = (error: unknown) =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

/** Returns a function that says in the user's language what went wrong and what to do. */
export function useProblemText(): (error: unknown) => string {
  const { t } = useLingui()

  const retryText = (seconds: number | undefined) => {
    if (seconds === undefined) return t`Too many attempts. Wait a few minutes and try again.`
    if (seconds > SECONDS_SHOWN_MAX) {
      const minutes = minutesUp(seconds)
      return t`Too many attempts. Try again in ${plural(minutes, { one: '# minute', other: '# minutes' })}.`
    }
    return t`Too many attempts. Try again in ${plural(seconds, { one: '# second', other: '# seconds' })}.`
  }

  const passkeyText = (name: string) => {
    if (name === 'InvalidStateError') return t`This device already has a passkey for your account.`
    if (name === 'NotAllowedError' || name === 'AbortError') {
      return t`The passkey was not used. Try again, or choose another sign-in method.`
    }
    return t`This browser cannot use the passkey. Try another browser, or choose another sign-in method.`
  }

  const problemText = (problem: ApiProblem) => {
    const texts: Record<string, () => string> = {
      [UNREACHABLE]: () => t`The server cannot be reached. Check your connection and try again.`,
      sign_in_failed: () =>
        t`The sign-in did not work. Check what you entered. After several failed attempts, wait 15 minutes or use a passkey.`,
      sign_in_method_disabled: () => t`Your administrator does not allow this sign-in method.`,
      rate_limited: () => retryText(problem.retryAfterSeconds),
      unavailable: () => t`The service is temporarily unavailable. Try again in a moment.`,
      invalid_password: () => t`This password is too easy to guess. Use a longer phrase of several words.`,
      invalid_code: () => t`The code is wrong. Use the newest code of your app.`,
      invalid_passkey: () => t`The passkey could not be saved. Try again.`,
      account_exists: () => t`Your email address has an account already. Sign in with it, then open the link again.`,
      already_member: () => t`You are a member of this organization already.`,
      last_sign_in_method: () => t`This is the only sign-in method of your account. Add another one first.`,
    }
    const known = texts[problem.code] ?? problem.fields.map(({ code }) => texts[code]).find(Boolean)
    if (known) return known()
    if (problem.status === 429) return retryText(problem.retryAfterSeconds)
    // A refusal says what to do, in English.
    if (problem.status >= 400 && problem.status < 500 && problem.code !== UNREACHABLE) return problem.message
    const { requestId } = problem
    return requestId === undefined
      ? t`Something went wrong. Try again.`
      : t`Something went wrong. Try again. If it happens again, give your administrator the request ID ${requestId}.`
  }

  return (error) => {
    const problem = problemOf(error)
    if (problem) return problemText(problem)
    if (isPasskeyError(error)) return passkeyText(error.name)
    return isModuleMissing(error)
      ? t`The server cannot be reached. Check your connection and try again.`
      : t`Something went wrong. Try again.`
  }
}
