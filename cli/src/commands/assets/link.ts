import { Command } from 'commander'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { relativeTime } from '../../terminal/times.ts'
import { embedPage } from './embed-page.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type Options = {
  readonly expiresIn?: number
  readonly singleUse?: true
  readonly viewer?: string
  readonly site?: string[]
}

export const linkCommand = (cli: Cli): Command =>
  new Command('link')
    .description('Create a link with which a viewer can watch an asset')
    .argument('<asset>', assetHelp)
    .option('--expires-in <seconds>', 'Lifetime of the link in seconds', wholeNumber)
    .option('--single-use', 'Allow only the first viewer to use the link')
    .option('--viewer <id>', 'Your identifier of the viewer')
    .option('--site <host...>', 'Allow embedding only on these hosts')
    .action(async (name: string, { expiresIn, singleUse, viewer, site }: Options) => {
      const profile = await readProfile(cli.environment)
      const { reelkeep, id } = await resolveAsset(cli, name)
      const token = await reelkeep.accessTokens.create(id, {
        ...(expiresIn !== undefined && { expires_in_seconds: expiresIn }),
        ...(singleUse && { single_use: true }),
        ...(viewer && { viewer_id: viewer }),
        ...(site && { referrers: site }),
      })
      const page = embedPage(profile, id, token.token)
      cli.output().result({ ...token, page_url: page }, () => page)
      cli.output().note(({ paint, now }) => paint('gray', `Expires ${relativeTime(token.expires_at, now)}.`))
    })
