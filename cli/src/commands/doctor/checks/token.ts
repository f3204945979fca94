import { AuthenticationError, NotFoundError } from 'reelkeep'
import type { Check } from '../check.ts'
import { type CheckOutcome, failed, ok } from '../check-result.ts'

/** Scopes that are required to upload, follow and delete a video. */
const NEEDED_SCOPES = ['assets:read', 'assets:write']

export const token: Check = {
  name: 'token',
  description: 'token',
  needs: ['api-is-reelkeep'],
  run: async ({ reelkeep, profile: { organization }, shared }) => {
    try {
      const { name, scopes } = await reelkeep.tokens.readCurrent()
      shared.scopes = scopes
      return ok(`The token “${name}” is valid for ${organization}.`)
    } catch (error) {
      const outcome = refusalOutcome(error, organization)
      if (outcome) return outcome
      throw error
    }
  },
}

function refusalOutcome(error: unknown, organization: string): CheckOutcome | undefined {
  if (error instanceof AuthenticationError)
    return failed(
      `The token is refused: ${error.message}`,
      'Log in with another token (`reelkeep login`). Tokens are created with `reelkeep tokens create`, or by the operator with `admin.ts create-token`.',
    )
  if (error instanceof NotFoundError)
    return failed(
      `The token does not belong to the organization ${organization}, or the organization does not exist.`,
      'Correct REELKEEP_ORGANIZATION, or use a token of that organization.',
      'organization',
    )
  return undefined
}

export const tokenScopes: Check = {
  name: 'token-scopes',
  description: 'token scopes',
  needs: ['token'],
  run: async ({ shared: { scopes = [] } }) => {
    const missing = NEEDED_SCOPES.filter((scope) => !scopes.includes(scope) && !scopes.includes('*'))
    if (missing.length === 0) return ok('The token can upload and delete videos.')
    return failed(
      `The token lacks ${missing.join(' and ')}, which uploads need.`,
      'Use a token with the missing scopes. A read-only token is fine otherwise, but cannot be used to check uploads.',
    )
  },
}
