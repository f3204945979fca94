import { NotFoundError, type Reelkeep, type Token } from 'reelkeep'
import { CommandError, exitCodes } from '../exit-codes.ts'
import type { Profile } from '../profile/profile.ts'

/** Reads the token of a profile. If the token belongs to another organization, the error names that organization. */
export async function readCurrentToken(
  { tokens }: Reelkeep,
  profile: Profile,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Token> {
  try {
    return await tokens.readCurrent(options)
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.code !== 'organization_not_found') throw error
    throw wrongOrganization(profile)
  }
}

/** The service does not say whether an organization exists, but a token contains the id of its organization. */
function wrongOrganization({ organization, token }: Profile): CommandError {
  const owner = /^rlk_([a-z0-9]{6,12})_/.exec(token)?.[1]
  if (owner === undefined || owner === organization)
    return new CommandError(
      `The organization ${organization} does not exist, or the token belongs to another organization.`,
      exitCodes.notFound,
      'Check the organization id and the token: reelkeep login',
    )
  return new CommandError(
    `The token belongs to the organization ${owner}, not to ${organization}.`,
    exitCodes.notFound,
    `Log in to ${owner} (reelkeep login, or set REELKEEP_ORGANIZATION=${owner}), or use a token of ${organization}.`,
  )
}
