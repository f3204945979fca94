import { Command, Option } from 'commander'
import type { Delivery, DeliveryAttempt, DeliveryDetails, ListDeliveriesQuery } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { deliveryStates } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import type { Look } from '../../terminal/look.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import { type Column, drawTable } from '../../terminal/table.ts'
import { localTime, relativeTime } from '../../terminal/times.ts'

const columns: readonly Column<Delivery>[] = [
  { title: 'event', cell: ({ event_id }) => event_id },
  { title: 'number', cell: ({ number }) => number, isNumber: true, rank: 3 },
  { title: 'type', cell: ({ type }) => type },
  { title: 'state', cell: ({ state }) => state, paint: (text, _, look) => paintStatus(text, look) },
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
    .description('what a webhook was told, the last first; or one of them with its attempts')
    .argument('<webhook>', 'its id')
    .argument('[event]', 'id of the event of one delivery')
    .addOption(new Option('--state <state>', 'only those in this state').choices(deliveryStates))
    .action(
      async (id: string, event: string | undefined, { state, limit, all }: DeliveryListOptions) => {
        const { webhookDeliveries } = await connect(cli)
        if (event !== undefined) {
          const delivery = await webhookDeliveries.read(id, event)
          return cli.output().result(delivery, (look) => drawDelivery(delivery, look))
        }
        const query = { ...(state && { state }), ...(limit !== undefined && { limit }) }
        const list = webhookDeliveries.list(id, query)
        await printList(cli, list, { ...(all && { all }), things: 'deliveries', columns })
      },
    )

const attemptColumns: readonly Column<DeliveryAttempt>[] = [
  { title: 'at', cell: ({ at }) => localTime(at) },
  { title: 'ms', cell: ({ milliseconds }) => milliseconds, isNumber: true },
  { title: 'status', cell: ({ status }) => status, isNumber: true },
  { title: 'answer', cell: ({ answer, error }) => error ?? answer, mayShrink: true },
]

const drawDelivery = (delivery: DeliveryDetails, look: Look): string =>
  [
    drawTable(columns, [delivery], look),
    JSON.stringify(delivery.request.body, null, 2),
    ...(delivery.attempts.length > 0 ? [drawTable(attemptColumns, delivery.attempts, look)] : []),
  ].join('\n\n')

export const testCommand = (cli: Cli): Command =>
  new Command('test')
    .description('have a webhook told an event webhook.test')
    .argument('<webhook>', 'its id')
    .action(async (id: string) => {
      const delivery = await (await connect(cli)).webhooks.test(id)
      cli.output().result(delivery, (look) => drawTable(columns, [delivery], look))
    })

type ReplayOptions = {
  readonly after?: number
  readonly before?: number
  readonly since?: string
  readonly until?: string
}

export const replayCommand = (cli: Cli): Command =>
  new Command('replay')
    .description('have one event, or a stretch of the log, told again')
    .argument('<webhook>', 'its id')
    .argument('[event]', 'id of the event')
    .option('--after <number>', 'events with a higher number', wholeNumber)
    .option('--before <number>', 'events with a lower number', wholeNumber)
    .option('--since <time>', 'events of this time or later, such as 2026-01-31T12:00:00Z')
    .option('--until <time>', 'events before this time')
    .action(async (id: string, event: string | undefined, stretch: ReplayOptions) => {
      const reelkeep = await connect(cli)
      assertEither(event, stretch)
      if (event !== undefined) {
        const delivery = await reelkeep.webhookDeliveries.replay(id, event)
        return cli.output().result(delivery, (look) => drawTable(columns, [delivery], look))
      }
      const replay = await reelkeep.webhooks.replay(id, stretch)
      const told = counted(replay.replayed, 'event')
      cli.output().result(replay, () => `${told} will be told again.`)
    })

function assertEither(event: string | undefined, stretch: ReplayOptions): void {
  const hasStretch = Object.keys(stretch).length > 0
  if ((event !== undefined) !== hasStretch) return
  throw new CommandError(
    'Say either which event is to be told again, or from where in the log.',
    exitCodes.usage,
    'A stretch begins with --after or --since.',
  )
}
