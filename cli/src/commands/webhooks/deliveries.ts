import { Command, Option } from 'commander'
import type { Delivery, DeliveryAttempt, DeliveryDetails, ListDeliveriesQuery } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { deliveryStates } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import type { Style } from '../../terminal/style.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { localTime, relativeTime } from '../../terminal/times.ts'

const columns: readonly Column<Delivery>[] = [
  { title: 'event', cell: ({ event_id }) => event_id },
  { title: 'number', cell: ({ number }) => number, isNumber: true, rank: 3 },
  { title: 'type', cell: ({ type }) => type },
  {
    title: 'state',
    cell: ({ state }) => state,
    paint: (text, _, style) => paintStatus(text, style),
  },
  { title: 'attempts', cell: ({ attempt_count }) => attempt_count, isNumber: true, rank: 1 },
  {
    title: 'next attempt',
    cell: ({ next_attempt_at }, { now }) => next_attempt_at && relativeTime(next_attempt_at, now),
    rank: 2,
  },
]

type DeliveryListOptions = ListOptions & {
  readonly state?: NonNullable<ListDeliveriesQuery['state']>
}

export const deliveriesCommand = (cli: Cli): Command =>
  withListOptions(new Command('deliveries'))
    .description('List deliveries of a webhook, latest first, or show one with its attempts')
    .argument('<webhook>', 'Webhook id')
    .argument('[event]', 'Event id of a single delivery')
    .addOption(new Option('--state <state>', 'Only deliveries in this state').choices(deliveryStates))
    .action(async (id: string, event: string | undefined, { state, limit, all }: DeliveryListOptions) => {
      const { webhookDeliveries } = await connect(cli)
      if (event !== undefined) {
        const delivery = await webhookDeliveries.read(id, event)
        return cli.output().result(delivery, (style) => renderDelivery(delivery, style))
      }
      const query = { ...(state && { state }), ...(limit !== undefined && { limit }) }
      const list = webhookDeliveries.list(id, query)
      await printList(cli, list, { ...(all && { all }), plural: 'deliveries', columns })
    })

const attemptColumns: readonly Column<DeliveryAttempt>[] = [
  { title: 'at', cell: ({ at }) => localTime(at) },
  { title: 'ms', cell: ({ milliseconds }) => milliseconds, isNumber: true },
  { title: 'status', cell: ({ status }) => status, isNumber: true },
  { title: 'response', cell: ({ answer, error }) => error ?? answer, mayShrink: true },
]

const renderDelivery = (delivery: DeliveryDetails, style: Style): string =>
  [
    renderTable(columns, [delivery], style),
    JSON.stringify(delivery.request.body, null, 2),
    ...(delivery.attempts.length > 0 ? [renderTable(attemptColumns, delivery.attempts, style)] : []),
  ].join('\n\n')

export const testCommand = (cli: Cli): Command =>
  new Command('test')
    .description('Send a test event (webhook.test)')
    .argument('<webhook>', 'Webhook id')
    .action(async (id: string) => {
      const delivery = await (await connect(cli)).webhooks.test(id)
      cli.output().result(delivery, (style) => renderTable(columns, [delivery], style))
    })

type ReplayOptions = {
  readonly after?: number
  readonly before?: number
  readonly since?: string
  readonly until?: string
}

export const replayCommand = (cli: Cli): Command =>
  new Command('replay')
    .description('Deliver one event, or a range of events, again')
    .argument('<webhook>', 'Webhook id')
    .argument('[event]', 'Event id')
    .option('--after <number>', 'Events with a higher number', wholeNumber)
    .option('--before <number>', 'Events with a lower number', wholeNumber)
    .option('--since <time>', 'Events at or after this time, such as 2026-01-31T12:00:00Z')
    .option('--until <time>', 'Events before this time')
    .action(async (id: string, event: string | undefined, range: ReplayOptions) => {
      const reelkeep = await connect(cli)
      assertEither(event, range)
      if (event !== undefined) {
        const delivery = await reelkeep.webhookDeliveries.replay(id, event)
        return cli.output().result(delivery, (style) => renderTable(columns, [delivery], style))
      }
      const replay = await reelkeep.webhooks.replay(id, range)
      const count = counted(replay.replayed, 'event')
      cli.output().result(replay, () => `${count} will be delivered again.`)
    })

function assertEither(event: string | undefined, range: ReplayOptions): void {
  const hasRange = Object.keys(range).length > 0
  if ((event !== undefined) !== hasRange) return
  throw new CommandError(
    'Specify either an event or a range.',
    exitCodes.usage,
    'A range starts with --after or --since.',
  )
}
