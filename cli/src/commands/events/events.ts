import { Command } from 'commander'
import type { Reelkeep } from 'reelkeep'
import { ITEMS_MAX, tooMany } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { assetHelp, namedAsset } from '../assets/named-asset.ts'
import { drawEvent } from './event-drawing.ts'
import { typesOption } from './event-types.ts'

type Options = {
  readonly follow?: true
  readonly types?: readonly string[]
  readonly asset?: string
  readonly after?: number
  readonly limit?: number
  readonly all?: true
}

/** `events` by itself is `events list`, so that `events --follow` is all there is to type. */
export function eventsCommand(cli: Cli): Command {
  const list = withEventOptions(new Command('list'))
    .description('the log of events, beginning with the oldest that is kept')
    .action((_: Options, command: Command) => run(cli, command.optsWithGlobals()))
  return withEventOptions(new Command('events'))
    .description('what happened: the log, beginning with the oldest that is kept; or live')
    .addCommand(list)
    .action((options: Options) => run(cli, options))
}

const withEventOptions = (command: Command): Command =>
  command
    .option('--follow', 'go on as it happens, until Ctrl-C')
    .addOption(typesOption())
    .option('--asset <asset>', `only what is about this asset: ${assetHelp}`)
    .option(
      '--after <number>',
      'begin behind this number; 0 is before the oldest that is kept, whatever its number',
      wholeNumber,
    )
    .option('--limit <count>', 'how many to show', wholeNumber)
    .option('--all', 'show all of them, however many there are')

async function run(cli: Cli, options: Options): Promise<void> {
  if (options.follow && (options.all || options.limit !== undefined))
    throw new CommandError('--follow has no end: not with --limit or --all.', exitCodes.usage)
  const reelkeep = await connect(cli)
  const asset = options.asset && (await namedAsset(cli, options.asset)).id
  const wish = { ...options, ...(asset && { asset }) }
  return options.follow ? follow(cli, reelkeep, wish) : printLog(cli, reelkeep, wish)
}

const filterOf = ({ types, asset }: Options) => ({
  ...(types && { types: types.join(',') }),
  ...(asset && { asset_id: asset }),
})

/** It comes back by itself when the line is cut; only Ctrl-C ends it. */
async function follow(cli: Cli, { events }: Reelkeep, options: Options): Promise<void> {
  const output = cli.output()
  let isOpen = false
  const onOpen = () => {
    if (!isOpen) output.note(({ paint }) => paint('gray', 'Following events. Ctrl-C ends it.'))
    isOpen = true
  }
  const after = options.after === 0 ? await beforeOldest(events) : options.after
  const stream = events.stream(
    { ...filterOf(options), ...(after !== undefined && { after }) },
    { signal: cli.interrupted, onOpen },
  )
  for await (const event of stream)
    if (event.type === 'asset.progress') {
      if (output.isJson) output.item(event, () => '')
    } else output.item(event, (look) => drawEvent(event, look))
}

/** The service itself refuses 0 once the first events are no longer kept. */
async function beforeOldest(events: Reelkeep['events']): Promise<number> {
  const { results, after } = await events.list({ limit: 1 })
  return results[0] ? results[0].number - 1 : after
}

async function printLog(cli: Cli, { events }: Reelkeep, options: Options): Promise<void> {
  const output = cli.output()
  const log = events.list({
    ...filterOf(options),
    // Absent, it begins with the oldest that is kept.
    ...(options.after && { after: options.after }),
    ...(options.limit !== undefined && { limit: options.limit }),
  })
  const { results, has_more, after } = await log
  if (results.length === 0) return output.note('No events.')
  let shown = 0
  for await (const event of options.all ? log : results) {
    if (shown++ >= ITEMS_MAX) throw tooMany('events')
    output.item(event, (look) => drawEvent(event, look))
  }
  if (has_more && !options.all) output.warning(`There are more: --after ${after}, or --all`)
}
