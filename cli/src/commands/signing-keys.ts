import { Command } from 'commander'
import type { SigningKey } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { instant } from '../arguments/times.ts'
import { type Cli, connect } from '../cli.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'

export function signingKeysCommand(cli: Cli): Command {
  return new Command('signing-keys')
    .description('Manage keys with which your server signs playback tokens')
    .addCommand(list(cli))
    .addCommand(create(cli))
    .addCommand(deletion(cli))
}

const columns: readonly Column<SigningKey>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name, mayShrink: true },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 1 },
  {
    title: 'expires',
    cell: ({ expires_at }, { now }) => (expires_at ? relativeTime(expires_at, now) : 'never'),
    rank: 2,
  },
]

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List signing keys, without private keys')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).signingKeys.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'signing keys', columns })
    })

/** Creates a key. Only the private key is written to stdout, so that it can be piped. */
const create = (cli: Cli) =>
  new Command('create')
    .description('Create a signing key; the private key is shown only once')
    .argument('<name>', 'Purpose of the key')
    .option('--expires-at <time>', 'Expiry, such as 2027-01-01 or 2027-01-01T12:00:00Z', instant)
    .action(async (name: string, { expiresAt }: { expiresAt?: string }) => {
      const body = { name, ...(expiresAt && { expires_at: expiresAt }) }
      const key = await (await connect(cli)).signingKeys.create(body)
      cli.output().note(`Created signing key ${key.id}. The private key is shown only once:`)
      cli.output().result(key, () => key.private_key)
    })

const deletion = (cli: Cli) =>
  new Command('delete')
    .description('Delete a signing key; tokens signed with it become invalid')
    .argument('<signing-key>', 'Signing key id')
    .option('--yes', 'Skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }) => {
      await mustConfirm(cli, { question: `Delete signing key ${id}?`, yes })
      await (await connect(cli)).signingKeys.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted ${id}.`)
    })
