import { Command } from 'commander'
import type { Reelkeep } from 'reelkeep'
import { ITEMS_MAX, tooMany } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { assetHelp, resolveAsset } from '../assets/resolve-asset.ts'
import { typesOption } from './event-types.ts'
import { renderEvent } from './render-event.ts'

type Options = {
  readonly follow?: true
  readonly types?: readonly string[]
  readonly asset?: string
  readonly after?: number
  readonly limit?: number
  readonly all?: true
}

/** Creates the command `events`. Without a subcommand, it works like `events list`. */
export function eventsCommand(cli: Cli): Command {
  const list = withEventOptions(new Command('list'))
    .description('List events, oldest first')
    .action((_: Options, command: Command) => run(cli, command.optsWithGlobals()))
  return withEventOptions(new Command('events'))
    .description('List or follow events')
    .addCommand(list)
    .action((options: Options) => run(cli, options))
}

const withEventOptions = (command: Command): Command =>
  command
    .option('--follow', 'Print new events until Ctrl-C')
    .addOption(typesOption())
    .option('--asset <asset>', `Only events of this asset: ${assetHelp}`)
    .option('--after <number>', 'Start after this event number; 0 starts with the oldest stored event', wholeNumber)
    .option('--limit <count>', 'Maximum number of results', wholeNumber)
    .option('--all', 'Show all results')

async function run(cli: Cli, options: Options): Promise<void> {
  if (options.follow && (options.all || options.limit !== undefined))
    throw new CommandError('--follow cannot be combined with --limit or --all.', exitCodes.usage)
  const reelkeep = await connect(cli)
  const asset = options.asset && (await resolveAsset(cli, options.asset)).id
  const resolved = { ...options, ...(asset && { asset }) }
  return options.follow ? follow(cli, reelkeep, resolved) : printLog(cli, reelkeep, resolved)
}

const filterOf = ({ types, asset }: Options) => ({
  ...(types && { types: types.join(',') }),
  ...(asset && { asset_id: asset }),
})

/** Prints new events until Ctrl-C; reconnects automatically. */
async function follow(cli: Cli, { events }: Reelkeep, options: Options): Promise<void> {
  const output = cli.output()
  let isOpen = false
  const onOpen = () => {
    if (!isOpen) output.note(({ paint }) => paint('gray', 'Following events. Press Ctrl-C to stop.'))
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
    } else output.item(event, (style) => renderEvent(event, style))
}

/**
 * Returns the event number before that of the oldest stored event. The service rejects 0 if the first events are no
 * longer stored.
 */
async function beforeOldest(events: Reelkeep['events']): Promise<number> {
  const { results, after } = await events.list({ limit: 1 })
  return results[0] ? results[0].number - 1 : after
}

async function printLog(cli: Cli, { events }: Reelkeep, options: Options): Promise<void> {
  const output = cli.output()
  const log = events.list({
    ...filterOf(options),
    // If `after` is absent, the log starts with the oldest stored event.
    ...(options.after && { after: options.after }),
    ...(options.limit !== undefined && { limit: options.limit }),
  })
  const { results, has_more, after } = await log
  if (results.length === 0) return output.note('No events.')
  let shown = 0
  for await (const event of options.all ? log : results) {
    if (shown++ >= ITEMS_MAX) throw tooMany('events')
    output.item(event, (style) => renderEvent(event, style))
  }
  if (has_more && !options.all) output.warning(`There are more events. Use --after ${after} to continue, or --all.`)
}
