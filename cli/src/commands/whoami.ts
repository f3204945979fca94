import { Command } from 'commander'
import { type Cli, connect } from '../cli.ts'
import { readProfile } from '../profile/profile.ts'
import { renderToken } from './login.ts'

export const whoamiCommand = (cli: Cli): Command =>
  new Command('whoami')
    .description('Show the service, the organization and the scopes of the token')
    .action(async () => {
      const { url, organization } = await readProfile(cli.environment)
      const token = await (await connect(cli)).tokens.readCurrent()
      cli
        .output()
        .result({ url, organization, token }, (style) =>
          [`${style.paint('bold', organization)} at ${url}`, renderToken(token, style)].join('\n'),
        )
    })
