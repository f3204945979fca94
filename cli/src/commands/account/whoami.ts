import { Command } from 'commander'
import { type Cli, connect } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { readCurrentToken } from '../current-token.ts'
import { renderToken } from './login.ts'

export const whoamiCommand = (cli: Cli): Command =>
  new Command('whoami')
    .description('Show the service, the organization and the scopes of the token')
    .action(async () => {
      const profile = await readProfile(cli.environment)
      const { url, organization } = profile
      const token = await readCurrentToken(await connect(cli), profile)
      cli
        .output()
        .result({ url, organization, token }, (style) =>
          [`${style.paint('bold', organization)} at ${url}`, renderToken(token, style)].join('\n'),
        )
    })
