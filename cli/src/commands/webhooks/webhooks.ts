import { Command } from 'commander'
import type { NewWebhook, Webhook } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { EventType } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { drawFields } from '../../terminal/fields.ts'
import type { Look } from '../../terminal/look.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { typesOption } from '../events/event-types.ts'
import { deliveriesCommand, replayCommand, testCommand } from './deliveries.ts'
import { listenCommand } from './listen.ts'

export function webhooksCommand(cli: Cli): Command {
  return new Command('webhooks')
    .description('addresses of yours that events are posted to')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(create(cli))
    .addCommand(update(cli))
    .addCommand(deletion(cli))
    .addCommand(rotateSecret(cli))
    .addCommand(testCommand(cli))
    .addCommand(deliveriesCommand(cli))
    .addCommand(replayCommand(cli))
    .addCommand(listenCommand(cli))
}

const columns: readonly Column<Webhook>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'url', cell: ({ url }) => url, mayShrink: true },
  { title: 'types', cell: ({ types }) => typesOf(types), mayShrink: true, rank: 1 },
  { title: 'state', cell: stateOf, mayShrink: true },
]

const typesOf = (types: readonly string[]) => (types.length === 0 ? 'all' : types.join(', '))

function stateOf(webhook: Webhook, { now }: Pick<Look, 'now'>): string {
  const { enabled, disabled_because, failing_since } = webhook
  if (!enabled) return `disabled (${disabled_because})`
  return failing_since ? `failing since ${relativeTime(failing_since, now)}` : 'enabled'
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('all webhooks, without their secrets')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).webhooks.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), things: 'webhooks', columns })
    })

const onWebhook = (name: string, description: string) =>
  new Command(name).description(description).argument('<webhook>', 'its id')

const show = (cli: Cli) =>
  onWebhook('show', 'one webhook').action(async (id: string) => {
    const webhook = await (await connect(cli)).webhooks.read(id)
    cli.output().result(webhook, (look) => drawWebhook(webhook, look))
  })

type CreateOptions = { readonly types?: EventType[]; readonly description?: string }

const create = (cli: Cli) =>
  new Command('create')
    .description('create a webhook; its secret is shown this once')
    .argument('<url>', 'where events are posted to')
    .addOption(typesOption())
    .option('--description <text>', 'for whoever reads the list')
    .action(async (url: string, options: CreateOptions) => {
      printSecret(cli, await (await connect(cli)).webhooks.create({ url, ...options }))
    })

type UpdateOptions = CreateOptions & {
  readonly url?: string
  readonly enable?: boolean
  readonly disable?: boolean
}

const update = (cli: Cli) =>
  onWebhook('update', 'change a webhook')
    .option('--url <url>', 'another address')
    .addOption(typesOption())
    .option('--description <text>', 'for whoever reads the list')
    .option('--enable', 'tell it again')
    .option('--disable', 'tell it nothing for now')
    .action(async (id: string, { enable, disable, ...changes }: UpdateOptions) => {
      if (enable && disable)
        throw new CommandError('It is either --enable or --disable.', exitCodes.usage)
      const enabled = enable || disable ? { enabled: enable === true } : {}
      const webhook = await (await connect(cli)).webhooks.update(id, { ...changes, ...enabled })
      cli.output().result(webhook, (look) => drawWebhook(webhook, look))
    })

const deletion = (cli: Cli) =>
  onWebhook('delete', 'delete a webhook, and what waits for it')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes }: { yes?: true }) => {
      const { webhooks } = await connect(cli)
      const { url } = await webhooks.read(id)
      await mustConfirm(cli, { question: `Delete the webhook to ${url}?`, yes })
      await webhooks.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted the webhook to ${url}.`)
    })

const rotateSecret = (cli: Cli) =>
  onWebhook('rotate-secret', 'give a webhook another secret')
    .option('--overlap <seconds>', 'for how long requests are signed with both', wholeNumber)
    .action(async (id: string, { overlap }: { overlap?: number }) => {
      const body = overlap === undefined ? {} : { overlap_seconds: overlap }
      printSecret(cli, await (await connect(cli)).webhooks.rotateSecret(id, body))
    })

/** The secret alone goes to stdout, so that it can be piped to where it is kept. */
function printSecret(cli: Cli, webhook: NewWebhook): void {
  cli.output().note((look) => drawWebhook(webhook, look))
  cli.output().note(({ paint }) => paint('gray', 'Its secret, shown this once:'))
  cli.output().result(webhook, () => webhook.secret)
}

const drawWebhook = (webhook: Webhook, look: Look): string =>
  drawFields(
    [
      ['webhook', webhook.url, (text) => look.paint('bold', text)],
      ['id', webhook.id],
      ['description', webhook.description],
      ['types', typesOf(webhook.types)],
      ['state', stateOf(webhook, look)],
      ['created', relativeTime(webhook.created_at, look.now)],
    ],
    look,
  )
