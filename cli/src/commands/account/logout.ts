import { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { deleteProfile, overridingVariables } from '../../profile/profile.ts'

/** Removes the saved credentials, but does not revoke the token. */
export const logoutCommand = (cli: Cli): Command =>
  new Command('logout').description('Remove saved credentials').action(async () => {
    const wasLoggedIn = await deleteProfile(cli.environment)
    cli
      .output()
      .result({ logged_out: wasLoggedIn }, () =>
        wasLoggedIn
          ? 'Logged out. The token is still valid; to revoke it: reelkeep tokens revoke'
          : 'You were not logged in.',
      )
    const left = overridingVariables(cli.environment, {})
    if (left.length > 0) cli.output().warning(`Credentials in the environment are still used: ${left.join(', ')}.`)
  })
