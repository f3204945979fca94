import { AuthenticationError, NotFoundError } from 'reelkeep'
import type { Check } from '../check.ts'
import { fault, fine, type Verdict } from '../finding.ts'

/** For a video to be uploaded, followed and deleted. */
const NEEDED_SCOPES = ['assets:read', 'assets:write']

export const token: Check = {
  name: 'token',
  what: 'whether the token is good',
  needs: ['api-ready'],
  look: async ({ reelkeep, profile: { organization }, seen }) => {
    try {
      const { name, scopes } = await reelkeep.tokens.readCurrent()
      seen.scopes = scopes
      return fine(`The token “${name}” is good for ${organization}.`)
    } catch (error) {
      const verdict = refusal(error, organization)
      if (verdict) return verdict
      throw error
    }
  },
}

function refusal(error: unknown, organization: string): Verdict | undefined {
  if (error instanceof AuthenticationError)
    return fault(
      `The token is refused: ${error.message}`,
      'Log in again with another one (`reelkeep login`); one that may do so creates it (`reelkeep tokens create`), or the operator (`admin.ts create-token`).',
    )
  if (error instanceof NotFoundError)
    return fault(
      `The token is not one of ${organization}, or there is no such organization.`,
      'Mend REELKEEP_ORGANIZATION, or take a token of that organization.',
      'organization',
    )
  return undefined
}

export const tokenScopes: Check = {
  name: 'token-scopes',
  what: 'what the token may do',
  needs: ['token'],
  look: async ({ seen: { scopes = [] } }) => {
    const missing = NEEDED_SCOPES.filter(
      (scope) => !scopes.includes(scope) && !scopes.includes('*'),
    )
    if (missing.length === 0) return fine('The token may upload videos and delete them.')
    return fault(
      `The token lacks ${missing.join(' and ')}, without which nothing can be uploaded.`,
      'Take a token with these scopes. One that is meant to read only is fine; the checks of uploads then need another.',
    )
  },
}
