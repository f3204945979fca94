import { Command } from 'commander'
import { Reelkeep, type Token } from 'reelkeep'
import { readStdin } from '../../arguments/input.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { overridingVariables, type Profile, savedProfile, saveProfile, withoutSlash } from '../../profile/profile.ts'
import { askSecret, askText, canAsk } from '../../terminal/prompts.ts'
import type { Style } from '../../terminal/style.ts'
import { relativeTime } from '../../terminal/times.ts'
import { printable } from '../../terminal/width.ts'
import { readCurrentToken } from '../current-token.ts'

type Options = { readonly url?: string; readonly organization?: string; readonly withToken?: true }

/** The login command. It has no option for the token, because other users of the machine can see command lines. */
export const loginCommand = (cli: Cli): Command =>
  new Command('login')
    .description('Save the service URL, organization and token')
    .option('--url <url>', 'URL of the service')
    .option('--organization <id>', 'Organization id')
    .option('--with-token', 'Read the token from stdin')
    .action(async (options: Options) => {
      const profile = await enteredProfile(cli, options)
      const token = await readCurrentToken(new Reelkeep(profile), profile, { signal: cli.interrupted })
      const file = await saveProfile(cli.environment, profile)
      const { url, organization } = profile
      cli
        .output()
        .result({ url, organization, token, profile: file }, (style) =>
          [
            `${style.paint('green', '✓')} Logged in to ${style.paint('bold', organization)} at ${url}.`,
            renderToken(token, style),
            style.paint('gray', `  Saved in ${file}`),
          ].join('\n'),
        )
      const overriding = overridingVariables(cli.environment, profile)
      if (overriding.length > 0)
        cli.output().warning(`These environment variables override the saved login: ${overriding.join(', ')}.`)
    })

export const renderToken = ({ name, scopes, expires_at }: Token, { now }: Style): string =>
  `  Token ${printable(name)}: ${scopes.includes('*') ? 'full access' : scopes.join(', ')}, ${
    expires_at ? `expires ${relativeTime(expires_at, now)}` : 'does not expire'
  }`

async function enteredProfile(cli: Cli, options: Options): Promise<Profile> {
  const saved = await savedProfile(cli.environment).catch(() => undefined)
  const mayAsk = canAsk(cli)
  const required = async (name: 'url' | 'organization', question: string) =>
    options[name] ??
    (mayAsk && !options.withToken
      ? await askText(cli, question, saved?.[name])
      : cli.environment[`REELKEEP_${name.toUpperCase()}`] || missing(`--${name}`))
  const url = checkedUrl(await required('url', 'Service URL'))
  const organization = await required('organization', 'Organization')
  const token = options.withToken
    ? (await readStdin(cli)).trim()
    : mayAsk
      ? await askSecret(cli, 'Token')
      : missing('--with-token')
  return { url, organization, token: token || missing('A token on stdin') }
}

function checkedUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new CommandError(
      `${text} is not a valid URL.`,
      exitCodes.usage,
      'The URL must start with https:// or http://.',
    )
  return withoutSlash(text)
}

function missing(what: string): never {
  throw new CommandError(
    `${what} is required when there is no terminal.`,
    exitCodes.usage,
    'In scripts: reelkeep login --url URL --organization ID --with-token < token',
  )
}
