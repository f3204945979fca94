import { CommanderError } from 'commander'
import { ApiError, AuthenticationError, ConnectionError, PermissionError, RateLimitError } from 'reelkeep'
import { CommandError, exitCodeOf } from '../exit-codes.ts'
import type { Style } from './style.ts'
import { printable } from './width.ts'

/** Renders an error for users: message, hint, and in gray the details for the operator. */
export function renderFailure(error: unknown, { paint }: Style): string {
  const lines = [`${paint('red', '✗')} ${linesOf(messageOf(error))}`]
  if (error instanceof ApiError) lines.push(...otherErrors(error))
  const next = hintOf(error)
  if (next) lines.push(`  ${printable(next)}`)
  if (error instanceof ApiError) lines.push(paint('gray', `  ${printable(requestReference(error))}`))
  return lines.join('\n')
}

/** Splits a message, which may contain several lines. */
const linesOf = (sentence: string) => sentence.split('\n').map(printable).join('\n')

/**
 * Renders each error as a line. If all errors belong to one field, omits the field name, and the error whose text is
 * the message.
 */
function otherErrors({ message, errors }: ApiError): string[] {
  if (errors.length <= 1) return []
  const isOneField = new Set(errors.map(({ field }) => field)).size <= 1
  return errors
    .filter(({ detail }) => !isOneField || detail !== message)
    .map(({ field, detail }) => `  ${printable(isOneField ? detail : `${field}: ${detail}`)}`)
}

const requestReference = ({ code, requestId }: ApiError) => (requestId ? `${code}, request ${requestId}` : code)

export function failureJson(error: unknown) {
  const about = error instanceof ApiError ? { code: error.code, errors: error.errors, request_id: error.requestId } : {}
  return { error: { message: messageOf(error), exit_code: exitCodeOf(error), ...about } }
}

export const interruptionJson = (exitCode: number) => ({
  error: { message: 'Interrupted.', exit_code: exitCode },
})

/** Replaces messages of commander and of the service that are written for programmers. */
export function messageOf(error: unknown): string {
  if (error instanceof AuthenticationError) return 'Your token is invalid, revoked or expired.'
  if (error instanceof CommanderError)
    return error.code === 'commander.help' ? 'A subcommand is required.' : error.message.replace(/^error: /, '')
  return error instanceof Error ? error.message : String(error)
}

/** Returns what to do about an error, if known. */
export function hintOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.next
  if (error instanceof AuthenticationError) return 'Log in again: reelkeep login'
  if (error instanceof PermissionError)
    return 'Check the scopes of your token: reelkeep whoami. To create another token: reelkeep tokens create'
  if (error instanceof ApiError && error.code === 'organization_not_found')
    return 'Check your organization and your token: reelkeep whoami'
  if (error instanceof RateLimitError) return 'Wait a moment, then try again.'
  if (error instanceof ConnectionError) return 'To find the cause: reelkeep doctor. To change the URL: reelkeep login'
  return undefined
}
