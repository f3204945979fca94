import { Command } from 'commander'
import type { NewToken, Token } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { wholeNumber } from '../arguments/numbers.ts'
import { setOption } from '../arguments/sets.ts'
import { instant } from '../arguments/times.ts'
import { type Scope, scopes } from '../arguments/values.ts'
import { type Cli, connect } from '../cli.ts'
import { type Profile, readProfile, savedProfile, saveProfile } from '../profile/profile.ts'
import { renderFields } from '../terminal/fields.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Style } from '../terminal/style.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { printable } from '../terminal/width.ts'
import { folderHelp, requireFolder } from './folders/resolve-folder.ts'

export function tokensCommand(cli: Cli): Command {
  return new Command('tokens')
    .description('Manage API tokens')
    .addCommand(list(cli))
    .addCommand(current(cli))
    .addCommand(create(cli))
    .addCommand(rotate(cli))
    .addCommand(revoke(cli))
}

const columns: readonly Column<Token>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name, mayShrink: true },
  { title: 'scopes', cell: ({ scopes }) => scopes.join(', '), mayShrink: true, rank: 1 },
  { title: 'state', cell: stateOf },
  {
    title: 'last used',
    cell: ({ last_used_at }, { now }) => timeOr(last_used_at, now, 'never'),
    rank: 2,
  },
]

function stateOf({ revoked_at, expires_at }: Token, { now }: Pick<Style, 'now'>): string {
  if (revoked_at) return `revoked ${relativeTime(revoked_at, now)}`
  if (!expires_at) return 'valid'
  const verb = Date.parse(expires_at) < now.getTime() ? 'expired' : 'expires'
  return `${verb} ${relativeTime(expires_at, now)}`
}

const timeOr = (iso: string | null, now: Date, otherwise: string) => (iso ? relativeTime(iso, now) : otherwise)

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List API tokens, without their secrets')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).tokens.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'tokens', columns })
    })

const current = (cli: Cli) =>
  new Command('current').description('Show the current API token').action(async () => {
    const token = await (await connect(cli)).tokens.readCurrent()
    cli.output().result(token, (style) => renderToken(token, style))
  })

type CreateOptions = { readonly scopes: readonly Scope[]; readonly folder?: string; readonly expiresAt?: string }

const create = (cli: Cli) =>
  new Command('create')
    .description('Create an API token; it is shown only once')
    .argument('<name>', 'Purpose of the token')
    .addOption(setOption('--scopes <scopes>', 'Permissions of the token', scopes).makeOptionMandatory())
    .option('--folder <folder>', `Limit the token to this folder and everything below it: ${folderHelp}`)
    .option('--expires-at <time>', 'Expiry, such as 2027-01-01 or 2027-01-01T12:00:00Z', instant)
    .action(async (name: string, { scopes, folder, expiresAt }: CreateOptions) => {
      const reelkeep = await connect(cli)
      const token = await reelkeep.tokens.create({
        name,
        scopes: [...scopes],
        ...(folder !== undefined && { folder_uuid: await requireFolder(reelkeep, folder) }),
        ...(expiresAt && { expires_at: expiresAt }),
      })
      printNewToken(cli, token)
    })

const rotate = (cli: Cli) =>
  new Command('rotate')
    .description('Replace an API token with a new one')
    .argument('<token>', 'Token id')
    .option('--overlap <seconds>', 'Seconds for which the old token stays valid', wholeNumber)
    .action(async (id: string, { overlap }: { overlap?: number }) => {
      const body = overlap === undefined ? {} : { overlap_seconds: overlap }
      const { tokens } = await connect(cli)
      const isOwn = (await tokens.readCurrent()).id === id
      const token = await tokens.rotate(id, body)
      printNewToken(cli, token)
      if (isOwn) await useNewToken(cli, token)
    })

/**
 * Saves the new token after the current one was rotated, if the old one came from the saved login. A token in the
 * environment cannot be changed from here.
 */
async function useNewToken(cli: Cli, { token }: NewToken): Promise<void> {
  const saved = await savedProfile(cli.environment).catch(() => undefined)
  const used = await readProfile(cli.environment)
  if (saved?.token === used.token) {
    await saveProfile(cli.environment, { ...(saved as Profile), token })
    cli.output().note('The saved login now uses the new token.')
  }
  if (cli.environment['REELKEEP_TOKEN'])
    cli.output().warning('REELKEEP_TOKEN still contains the old token: set REELKEEP_TOKEN to the new one.')
}

const revoke = (cli: Cli) =>
  new Command('revoke')
    .description('Revoke an API token')
    .argument('<token>', 'Token id')
    .option('--descendants', 'Also revoke everything that was created with the token')
    .option('--yes', 'Skip the confirmation')
    .action(async (id: string, { descendants, yes }: { descendants?: true; yes?: true }) => {
      const { tokens } = await connect(cli)
      const { name } = await tokens.read(id)
      const question = descendants ? `Revoke ${name} and everything created with it?` : `Revoke ${name}?`
      await mustConfirm(cli, { question, yes })
      await tokens.revoke(id, descendants ? { descendants } : {})
      cli.output().result({ id, revoked: true }, () => `Revoked ${printable(name)}.`)
    })

/** Prints a new token. Only the token is written to stdout, so that it can be piped. */
function printNewToken(cli: Cli, token: NewToken): void {
  cli.output().note((style) => renderToken(token, style))
  cli.output().note(({ paint }) => paint('gray', 'The token is shown only once:'))
  cli.output().result(token, () => token.token)
}

const renderToken = (token: Token, style: Style): string =>
  renderFields(
    [
      ['token', token.name, (text) => style.paint('bold', text)],
      ['id', token.id],
      ['scopes', token.scopes.join(', ')],
      ['folder', token.folder_uuid ?? 'all'],
      ['state', stateOf(token, style)],
      ['created', relativeTime(token.created_at, style.now)],
      ['created by', token.created_by.name ?? token.created_by.id ?? 'the operator'],
      ['last used', timeOr(token.last_used_at, style.now, 'never')],
    ],
    style,
  )
