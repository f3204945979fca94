import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { forgetProfile, outvotingVariables } from '../profile/profile.ts'

/** The token stays valid: whoever wants it gone revokes it. */
export const logoutCommand = (cli: Cli): Command =>
  new Command('logout').description('forget what login kept').action(async () => {
    const wasLoggedIn = await forgetProfile(cli.environment)
    cli
      .output()
      .result({ logged_out: wasLoggedIn }, () =>
        wasLoggedIn
          ? 'Logged out. The token stays valid until it is revoked: reelkeep tokens revoke'
          : 'Nobody was logged in.',
      )
    const left = outvotingVariables(cli.environment, {})
    if (left.length > 0)
      cli.output().warning(`Still used, for it is set in the environment: ${left.join(', ')}.`)
  })
