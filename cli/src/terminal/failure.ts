import { CommanderError } from 'commander'
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  PermissionError,
  RateLimitError,
} from 'reelkeep'
import { CommandError, exitCodeOf } from '../exit-codes.ts'
import type { Look } from './look.ts'
import { printable } from './width.ts'

/** A failure for people: a sentence, what to do next, and in grey what whoever runs the service will ask for. */
export function drawFailure(error: unknown, { paint }: Look): string {
  const lines = [`${paint('red', '✗')} ${linesOf(sentenceOf(error))}`]
  if (error instanceof ApiError) lines.push(...otherFaults(error))
  const next = nextOf(error)
  if (next) lines.push(`  ${printable(next)}`)
  if (error instanceof ApiError) lines.push(paint('gray', `  ${printable(quotable(error))}`))
  return lines.join('\n')
}

/** A sentence may list what it is about, a line each. */
const linesOf = (sentence: string) => sentence.split('\n').map(printable).join('\n')

/** The sentence is the first of them. A field that they all lie in tells nobody anything. */
function otherFaults({ message, errors }: ApiError): string[] {
  if (errors.length <= 1) return []
  const isOneField = new Set(errors.map(({ field }) => field)).size <= 1
  return errors
    .filter(({ detail }) => !isOneField || detail !== message)
    .map(({ field, detail }) => `  ${printable(isOneField ? detail : `${field}: ${detail}`)}`)
}

const quotable = ({ code, requestId }: ApiError) =>
  requestId ? `${code}, request ${requestId}` : code

/** The same for machines. */
export function failureJson(error: unknown) {
  const about =
    error instanceof ApiError
      ? { code: error.code, errors: error.errors, request_id: error.requestId }
      : {}
  return { error: { message: sentenceOf(error), exit_code: exitCodeOf(error), ...about } }
}

export const interruptionJson = (exitCode: number) => ({
  error: { message: 'Interrupted.', exit_code: exitCode },
})

/**
 * Commander's own word for a missing subcommand is one for programmers, and it names its faults as
 * such; so is the service's for a token.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof AuthenticationError)
    return 'The service does not take your token: it is not known there, was revoked or has expired.'
  if (error instanceof CommanderError)
    return error.code === 'commander.help'
      ? 'A subcommand is missing.'
      : error.message.replace(/^error: /, '')
  return error instanceof Error ? error.message : String(error)
}

/** What to do about it, if that is known. */
export function nextOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.next
  if (error instanceof AuthenticationError) return 'Log in again: reelkeep login'
  if (error instanceof PermissionError)
    return 'See what your token may do: reelkeep whoami. A wider one: reelkeep tokens create'
  if (error instanceof RateLimitError) return 'Wait a little, then run it again.'
  if (error instanceof ConnectionError)
    return 'See where the line ends: reelkeep doctor. Another address: reelkeep login'
  return undefined
}
