import { Command } from 'commander'
import type { SigningKey } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { type Cli, connect } from '../cli.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'

export function signingKeysCommand(cli: Cli): Command {
  return new Command('signing-keys')
    .description('keys that your own server signs playback tokens with')
    .addCommand(list(cli))
    .addCommand(create(cli))
    .addCommand(deletion(cli))
}

const columns: readonly Column<SigningKey>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name, mayShrink: true },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 1 },
]

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('signing keys, without the private halves')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).signingKeys.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), things: 'signing keys', columns })
    })

/** The private key alone goes to stdout, so that it can be piped to where it is kept. */
const create = (cli: Cli) =>
  new Command('create')
    .description('create a signing key; its private half is shown this once')
    .argument('<name>', 'what it is for')
    .action(async (name: string) => {
      const key = await (await connect(cli)).signingKeys.create({ name })
      cli.output().note(`Signing key ${key.id}. Its private half, shown this once:`)
      cli.output().result(key, () => key.private_key)
    })

const deletion = (cli: Cli) =>
  new Command('delete')
    .description('delete a signing key; nothing plays any more by what it has signed')
    .argument('<signing-key>', 'its id')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes }: { yes?: true }) => {
      await mustConfirm(cli, { question: `Delete signing key ${id}?`, yes })
      await (await connect(cli)).signingKeys.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted ${id}.`)
    })
