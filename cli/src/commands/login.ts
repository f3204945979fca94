import { Command } from 'commander'
import { Reelkeep, type Token } from 'reelkeep'
import { readStdin } from '../arguments/input.ts'
import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import {
  keepProfile,
  keptProfile,
  outvotingVariables,
  type Profile,
  withoutSlash,
} from '../profile/profile.ts'
import type { Look } from '../terminal/look.ts'
import { askSecret, askText, canAsk } from '../terminal/prompts.ts'
import { relativeTime } from '../terminal/times.ts'
import { printable } from '../terminal/width.ts'

type Options = { readonly url?: string; readonly organization?: string; readonly withToken?: true }

/** There is no option for the token itself: everybody on the machine sees what stands on a command line. */
export const loginCommand = (cli: Cli): Command =>
  new Command('login')
    .description('say which service to use and as whom, and keep it for later commands')
    .option('--url <url>', 'where the service is')
    .option('--organization <id>', 'whose videos')
    .option('--with-token', 'read the token from stdin instead of asking')
    .action(async (options: Options) => {
      const profile = await wishedProfile(cli, options)
      const token = await new Reelkeep(profile).tokens.readCurrent({ signal: cli.interrupted })
      const file = await keepProfile(cli.environment, profile)
      const { url, organization } = profile
      cli
        .output()
        .result({ url, organization, token, profile: file }, (look) =>
          [
            `${look.paint('green', '✓')} Logged in to ${look.paint('bold', organization)} at ${url}.`,
            drawStanding(token, look),
            look.paint('gray', `  Kept in ${file}`),
          ].join('\n'),
        )
      const outvoting = outvotingVariables(cli.environment, profile)
      if (outvoting.length > 0)
        cli
          .output()
          .warning(
            `Not all of it is used: what is set in the environment counts more, ${outvoting.join(', ')}.`,
          )
    })

/** What a token is called, may do, and until when. */
export const drawStanding = ({ name, scopes, expires_at }: Token, { now }: Look): string =>
  `  Token ${printable(name)} may ${scopes.includes('*') ? 'do everything' : scopes.join(', ')}; it ${
    expires_at ? `expires ${relativeTime(expires_at, now)}` : 'does not expire'
  }.`

async function wishedProfile(cli: Cli, options: Options): Promise<Profile> {
  const kept = await keptProfile(cli.environment).catch(() => undefined)
  const mayAsk = canAsk(cli)
  const needed = async (name: 'url' | 'organization', question: string) =>
    options[name] ??
    (mayAsk && !options.withToken
      ? await askText(cli, question, kept?.[name])
      : cli.environment[`REELKEEP_${name.toUpperCase()}`] || missing(`--${name}`))
  const url = checkedUrl(await needed('url', 'Address of the service'))
  const organization = await needed('organization', 'Organization')
  const token = options.withToken
    ? (await readStdin(cli)).trim()
    : mayAsk
      ? await askSecret(cli, 'Token')
      : missing('--with-token')
  return { url, organization, token: token || missing('The token on stdin') }
}

function checkedUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new CommandError(
      `${text} is no address.`,
      exitCodes.usage,
      'It begins with https:// or http://',
    )
  return withoutSlash(text)
}

function missing(what: string): never {
  throw new CommandError(
    `${what} is missing, and there is no terminal to ask at.`,
    exitCodes.usage,
    'For scripts: reelkeep login --url URL --organization ID --with-token < token',
  )
}
