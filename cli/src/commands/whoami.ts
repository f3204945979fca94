import { Command } from 'commander'
import { type Cli, connect } from '../cli.ts'
import { readProfile } from '../profile/profile.ts'
import { drawStanding } from './login.ts'

export const whoamiCommand = (cli: Cli): Command =>
  new Command('whoami')
    .description('which service, whose organization, and what the token may do')
    .action(async () => {
      const { url, organization } = await readProfile(cli.environment)
      const token = await (await connect(cli)).tokens.readCurrent()
      cli
        .output()
        .result({ url, organization, token }, (look) =>
          [`${look.paint('bold', organization)} at ${url}`, drawStanding(token, look)].join('\n'),
        )
    })
