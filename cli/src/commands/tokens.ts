import { Command, InvalidArgumentError } from 'commander'
import type { NewToken, Token } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { wholeNumber } from '../arguments/numbers.ts'
import { setOption } from '../arguments/sets.ts'
import { type Scope, scopes } from '../arguments/values.ts'
import { type Cli, connect } from '../cli.ts'
import { keepProfile, keptProfile, type Profile, readProfile } from '../profile/profile.ts'
import { drawFields } from '../terminal/fields.ts'
import type { Look } from '../terminal/look.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { printable } from '../terminal/width.ts'

export function tokensCommand(cli: Cli): Command {
  return new Command('tokens')
    .description('API tokens of the organization')
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
    cell: ({ last_used_at }, { now }) => moment(last_used_at, now, 'never'),
    rank: 2,
  },
]

function stateOf({ revoked_at, expires_at }: Token, { now }: Pick<Look, 'now'>): string {
  if (revoked_at) return `revoked ${relativeTime(revoked_at, now)}`
  if (!expires_at) return 'valid'
  const verb = Date.parse(expires_at) < now.getTime() ? 'expired' : 'expires'
  return `${verb} ${relativeTime(expires_at, now)}`
}

const moment = (iso: string | null, now: Date, otherwise: string) =>
  iso ? relativeTime(iso, now) : otherwise

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('all tokens, without the secrets themselves')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).tokens.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), things: 'tokens', columns })
    })

const current = (cli: Cli) =>
  new Command('current').description('the token that this command line uses').action(async () => {
    const token = await (await connect(cli)).tokens.readCurrent()
    cli.output().result(token, (look) => drawToken(token, look))
  })

type CreateOptions = { readonly scopes: readonly Scope[]; readonly expiresAt?: string }

const create = (cli: Cli) =>
  new Command('create')
    .description('create a token; it is shown this once')
    .argument('<name>', 'what it is for')
    .addOption(setOption('--scopes <scopes>', 'what it may do', scopes).makeOptionMandatory())
    .option('--expires-at <time>', 'such as 2027-01-01 or 2027-01-01T12:00:00Z', instant)
    .action(async (name: string, { scopes, expiresAt }: CreateOptions) => {
      const token = await (await connect(cli)).tokens.create({
        name,
        scopes: [...scopes],
        ...(expiresAt && { expires_at: expiresAt }),
      })
      printNewToken(cli, token)
    })

function instant(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('It is not a time, such as 2027-01-01.')
  return new Date(time).toISOString()
}

const rotate = (cli: Cli) =>
  new Command('rotate')
    .description('make a new token in the place of another')
    .argument('<token>', 'its id')
    .option('--overlap <seconds>', 'for how long the old one stays valid', wholeNumber)
    .action(async (id: string, { overlap }: { overlap?: number }) => {
      const body = overlap === undefined ? {} : { overlap_seconds: overlap }
      const { tokens } = await connect(cli)
      const isOwn = (await tokens.readCurrent()).id === id
      const token = await tokens.rotate(id, body)
      printNewToken(cli, token)
      if (isOwn) await goOnWith(cli, token)
    })

/**
 * The old token is the one that this command line uses. Where it was kept the new one takes its
 * place; an environment is not ours to change.
 */
async function goOnWith(cli: Cli, { token }: NewToken): Promise<void> {
  const kept = await keptProfile(cli.environment).catch(() => undefined)
  const used = await readProfile(cli.environment)
  if (kept?.token === used.token) {
    await keepProfile(cli.environment, { ...(kept as Profile), token })
    cli.output().note('You are logged in with the new token from now on.')
  }
  if (cli.environment['REELKEEP_TOKEN'])
    cli.output().warning('This command line uses the old one: set REELKEEP_TOKEN to the new one.')
}

const revoke = (cli: Cli) =>
  new Command('revoke')
    .description('end a token; nothing can be done with it any more')
    .argument('<token>', 'its id')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes }: { yes?: true }) => {
      const { tokens } = await connect(cli)
      const { name } = await tokens.read(id)
      await mustConfirm(cli, { question: `Revoke ${name}?`, yes })
      await tokens.revoke(id)
      cli.output().result({ id, revoked: true }, () => `Revoked ${printable(name)}.`)
    })

/** The token alone goes to stdout, so that it can be piped to where it is kept. */
function printNewToken(cli: Cli, token: NewToken): void {
  cli.output().note((look) => drawToken(token, look))
  cli.output().note(({ paint }) => paint('gray', 'The token itself, shown this once:'))
  cli.output().result(token, () => token.token)
}

const drawToken = (token: Token, look: Look): string =>
  drawFields(
    [
      ['token', token.name, (text) => look.paint('bold', text)],
      ['id', token.id],
      ['scopes', token.scopes.join(', ')],
      ['state', stateOf(token, look)],
      ['created', relativeTime(token.created_at, look.now)],
      ['last used', moment(token.last_used_at, look.now, 'never')],
    ],
    look,
  )
