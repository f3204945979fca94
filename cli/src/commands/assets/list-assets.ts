import { Command, Option } from 'commander'
import type { ListAssetsQuery, Reelkeep } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { collect } from '../../arguments/pairs.ts'
import { setOption } from '../../arguments/sets.ts'
import { instant } from '../../arguments/times.ts'
import { assetFeatures, assetOrders, assetStatuses } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { folderHelp, ROOT, resolveFolder } from '../folders/resolve-folder.ts'
import { assetColumns } from './render-asset.ts'

/** The filters of a query, without its order, fields and page. */
export type AssetFilter = Omit<ListAssetsQuery, 'order' | 'fields' | 'limit' | 'cursor'>

export type AssetFilterOptions = {
  readonly folder?: string
  readonly recursive?: boolean
  readonly status?: NonNullable<ListAssetsQuery['status']>
  readonly tag?: string[]
  readonly externalId?: string
  readonly id?: string[]
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly durationMin?: number
  readonly durationMax?: number
  readonly has?: NonNullable<ListAssetsQuery['has']>
  readonly query?: string
}

type AssetListOptions = ListOptions &
  AssetFilterOptions & {
    readonly order?: NonNullable<ListAssetsQuery['order']>
    readonly fields?: string
  }

/** Options that select assets, of lists and bulk operations. */
export const withFilterOptions = (command: Command): Command =>
  command
    .option('--folder <folder>', `Only assets in this folder: ${folderHelp}, or root`)
    .option('--recursive', 'Include subfolders of --folder')
    .addOption(setOption('--status <status>', 'Only assets with this status; can be repeated', assetStatuses))
    .option('--tag <tag>', 'Only assets with this tag; can be repeated: all must match', collect)
    .option('--external-id <id>', 'Only the asset with this identifier of yours')
    .option('--id <id>', 'Only the asset with this id; can be repeated', collect)
    .option('--created-after <time>', 'Only assets created at or after this time, such as 2027-01-01', instant)
    .option('--created-before <time>', 'Only assets created before this time', instant)
    .option('--duration-min <seconds>', 'Only videos of at least this duration', wholeNumber)
    .option('--duration-max <seconds>', 'Only videos of at most this duration', wholeNumber)
    .addOption(setOption('--has <what>', 'Only assets that have this; can be repeated', assetFeatures))
    .option('--query <text>', 'Only assets whose title contains this text')

export const listCommand = (cli: Cli) =>
  withFilterOptions(withListOptions(new Command('list')))
    .description('List assets, newest first')
    .addOption(new Option('--order <order>', 'Order of the list; - is descending').choices(assetOrders))
    .option('--fields <names>', 'With --json: only these fields, such as id,title,video.status')
    .action(async ({ all, ...options }: AssetListOptions) => {
      if (options.fields !== undefined && !cli.output().isJson)
        throw new CommandError('--fields needs --json.', exitCodes.usage)
      const reelkeep = await connect(cli)
      const { order, fields, limit, ...filter } = options
      const query = { ...(await filterOf(reelkeep, filter)), ...(order && { order }), ...(fields && { fields }) }
      const list = reelkeep.assets.list({ ...query, ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'assets', columns: assetColumns })
    })

export async function filterOf(reelkeep: Reelkeep, options: AssetFilterOptions): Promise<AssetFilter> {
  const { folder, recursive, externalId, createdAfter, createdBefore, durationMin, durationMax, query, ...same } =
    options
  return {
    ...same,
    ...(folder && { folder: (await resolveFolder(reelkeep, folder)) ?? ROOT }),
    ...(recursive && { recursive }),
    ...(externalId && { external_id: externalId }),
    ...(createdAfter && { created_after: createdAfter }),
    ...(createdBefore && { created_before: createdBefore }),
    ...(durationMin !== undefined && { duration_min: durationMin }),
    ...(durationMax !== undefined && { duration_max: durationMax }),
    ...(query && { q: query }),
  }
}
