import { Command } from 'commander'
import type { CreateBulkOperationBody } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { collect, collectPair } from '../../arguments/pairs.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { type AssetFilterOptions, filterOf, withFilterOptions } from '../assets/list-assets.ts'
import { folderHelp, resolveFolder } from '../folders/resolve-folder.ts'
import { bulkColumns, progressPrinter, renderOperation, renderPreview } from './render-operation.ts'

export const bulkCommand = (cli: Cli): Command =>
  new Command('bulk')
    .description('Change many assets at once, in the background')
    .addCommand(move(cli))
    .addCommand(tagging(cli, 'add-tags', 'Add tags to all selected assets'))
    .addCommand(tagging(cli, 'remove-tags', 'Remove tags from all selected assets'))
    .addCommand(setMetadata(cli))
    .addCommand(plain(cli, 'delete', 'Move all selected assets to the trash'))
    .addCommand(plain(cli, 'restore', 'Restore all selected assets from the trash'))
    .addCommand(plain(cli, 'purge', 'Delete all selected assets in the trash permanently'))
    .addCommand(plain(cli, 'retry', 'Retry processing of all selected assets that failed or were cancelled'))
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(cancel(cli))

type Options = AssetFilterOptions & {
  readonly all?: true
  readonly except?: string[]
  readonly dryRun?: true
  readonly yes?: true
  readonly wait: boolean
}

const action = (name: string, description: string) =>
  withFilterOptions(new Command(name).description(description))
    .option('--all', 'Select all assets; required without another filter')
    .option('--except <id>', 'Do not select the asset with this id; can be repeated', collect)
    .option('--dry-run', 'Show how many assets are selected, and change nothing')
    .option('--yes', 'Skip the confirmation')
    .option('--no-wait', 'Do not wait until the operation has ended')

const move = (cli: Cli) =>
  action('move', 'Move all selected assets to a folder')
    .argument('<folder>', `${folderHelp}, or root`)
    .action(async (to: string, options: Options) => {
      const reelkeep = await connect(cli)
      await run(cli, { action: 'move', folder: await resolveFolder(reelkeep, to) }, options)
    })

const tagging = (cli: Cli, name: 'add-tags' | 'remove-tags', description: string) =>
  action(name, description)
    .argument('<tags...>')
    .action((tags: string[], options: Options) =>
      run(cli, { action: name === 'add-tags' ? 'add_tags' : 'remove_tags', tags }, options),
    )

const setMetadata = (cli: Cli) =>
  action('set-metadata', 'Set metadata of all selected assets')
    .argument('<key=value...>', 'Metadata to set; an empty value removes the key', collectPair)
    .action((metadata: Record<string, string | null>, options: Options) =>
      run(cli, { action: 'set_metadata', metadata }, options),
    )

const plain = (cli: Cli, name: 'delete' | 'restore' | 'purge' | 'retry', description: string) =>
  action(name, description).action((options: Options) => run(cli, { action: name }, options))

async function run(
  cli: Cli,
  input: CreateBulkOperationBody,
  { dryRun, yes, wait, ...selected }: Options,
): Promise<void> {
  const { bulkOperations } = await connect(cli)
  const body = { ...input, ...(await selectionOf(cli, selected)) }
  const output = cli.output()
  if (dryRun || !yes) {
    const preview = await bulkOperations.preview(body)
    if (dryRun) return output.result(preview, (style) => renderPreview(preview, style))
    const question = `Apply ${input.action.replace('_', ' ')} to ${counted(preview.count, 'asset')}?`
    await mustConfirm(cli, { question, yes })
  }
  const created = await bulkOperations.create(body)
  const operation = wait
    ? await bulkOperations.waitUntilFinished(created.id, {
        signal: cli.interrupted,
        onProgress: progressPrinter(cli),
      })
    : created
  output.result(operation, (style) => renderOperation(operation, style))
  if (operation.status === 'Error' || operation.progress.failed > 0) cli.setExitCode(exitCodes.badOutcome)
}

type Selected = AssetFilterOptions & Pick<Options, 'all' | 'except'>

/** Only `--id` selects exactly these assets; otherwise all options are one filter. */
async function selectionOf(
  cli: Cli,
  { all, except, ...options }: Selected,
): Promise<Pick<CreateBulkOperationBody, 'ids' | 'filter' | 'except_ids'>> {
  const names = Object.keys(options)
  if (names.length === 0 && !all)
    throw new CommandError('Select assets, for example by --status, or use --all.', exitCodes.usage)
  if (names.join() === 'id' && !except) return { ids: options.id ?? [] }
  const filter = await filterOf(await connect(cli), options)
  return { filter, ...(except && { except_ids: except }) }
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List operations, newest first')
    .action(async ({ all, limit }: ListOptions) => {
      const { bulkOperations } = await connect(cli)
      await printList(cli, bulkOperations.list(limit === undefined ? {} : { limit }), {
        ...(all && { all }),
        plural: 'operations',
        columns: bulkColumns,
      })
    })

const show = (cli: Cli) =>
  new Command('show')
    .description('Show an operation and the assets that could not be changed')
    .argument('<id>', 'id of the operation')
    .action(async (id: string) => {
      const operation = await (await connect(cli)).bulkOperations.read(id)
      cli.output().result(operation, (style) => renderOperation(operation, style))
    })

const cancel = (cli: Cli) =>
  new Command('cancel')
    .description('Cancel an operation; assets that were changed stay changed')
    .argument('<id>', 'id of the operation')
    .action(async (id: string) => {
      const operation = await (await connect(cli)).bulkOperations.cancel(id)
      cli.output().result(operation, (style) => renderOperation(operation, style))
    })
