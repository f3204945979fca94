import { Command } from 'commander'
import type { NewWebhook, Webhook } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { EventType } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderFields } from '../../terminal/fields.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import type { Style } from '../../terminal/style.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { typesOption } from '../events/event-types.ts'
import { deliveriesCommand, replayCommand, testCommand } from './deliveries.ts'
import { listenCommand } from './listen.ts'

export function webhooksCommand(cli: Cli): Command {
  return new Command('webhooks')
    .description('Manage webhooks')
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

function stateOf(webhook: Webhook, { now }: Pick<Style, 'now'>): string {
  const { enabled, disabled_reason, failing_since } = webhook
  if (!enabled) return `disabled (${disabled_reason})`
  return failing_since ? `failing since ${relativeTime(failing_since, now)}` : 'enabled'
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List webhooks, without their secrets')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).webhooks.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'webhooks', columns })
    })

const onWebhook = (name: string, description: string) =>
  new Command(name).description(description).argument('<webhook>', 'Webhook id')

const show = (cli: Cli) =>
  onWebhook('show', 'Show a webhook').action(async (id: string) => {
    const webhook = await (await connect(cli)).webhooks.read(id)
    cli.output().result(webhook, (style) => renderWebhook(webhook, style))
  })

type CreateOptions = { readonly types?: EventType[]; readonly description?: string }

const create = (cli: Cli) =>
  new Command('create')
    .description('Create a webhook; its secret is shown only once')
    .argument('<url>', 'URL to which events are posted')
    .addOption(typesOption())
    .option('--description <text>', 'Description')
    .action(async (url: string, options: CreateOptions) => {
      printSecret(cli, await (await connect(cli)).webhooks.create({ url, ...options }))
    })

type UpdateOptions = CreateOptions & {
  readonly url?: string
  readonly enable?: boolean
  readonly disable?: boolean
}

const update = (cli: Cli) =>
  onWebhook('update', 'Update a webhook')
    .option('--url <url>', 'New URL')
    .addOption(typesOption())
    .option('--description <text>', 'Description')
    .option('--enable', 'Resume deliveries')
    .option('--disable', 'Stop deliveries')
    .action(async (id: string, { enable, disable, ...changes }: UpdateOptions) => {
      if (enable && disable) throw new CommandError('Use either --enable or --disable.', exitCodes.usage)
      const enabled = enable || disable ? { enabled: enable === true } : {}
      const webhook = await (await connect(cli)).webhooks.update(id, { ...changes, ...enabled })
      cli.output().result(webhook, (style) => renderWebhook(webhook, style))
    })

const deletion = (cli: Cli) =>
  onWebhook('delete', 'Delete a webhook and its pending deliveries')
    .option('--yes', 'Skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }) => {
      const { webhooks } = await connect(cli)
      const { url } = await webhooks.read(id)
      await mustConfirm(cli, { question: `Delete the webhook to ${url}?`, yes })
      await webhooks.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted the webhook to ${url}.`)
    })

const rotateSecret = (cli: Cli) =>
  onWebhook('rotate-secret', 'Replace the secret of a webhook')
    .option('--overlap <seconds>', 'Seconds for which requests are signed with both secrets', wholeNumber)
    .action(async (id: string, { overlap }: { overlap?: number }) => {
      const body = overlap === undefined ? {} : { overlap_seconds: overlap }
      printSecret(cli, await (await connect(cli)).webhooks.rotateSecret(id, body))
    })

/** Prints the secret. Only the secret is written to stdout, so that it can be piped. */
function printSecret(cli: Cli, webhook: NewWebhook): void {
  cli.output().note((style) => renderWebhook(webhook, style))
  cli.output().note(({ paint }) => paint('gray', 'The secret is shown only once:'))
  cli.output().result(webhook, () => webhook.secret)
}

const renderWebhook = (webhook: Webhook, style: Style): string =>
  renderFields(
    [
      ['webhook', webhook.url, (text) => style.paint('bold', text)],
      ['id', webhook.id],
      ['description', webhook.description],
      ['types', typesOf(webhook.types)],
      ['state', stateOf(webhook, style)],
      ['created', relativeTime(webhook.created_at, style.now)],
    ],
    style,
  )
