import { Command, Option } from 'commander'
import type { ListAssetsQuery } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { assetStatuses } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { printable } from '../../terminal/width.ts'
import { folderHelp, ROOT, resolveFolder } from '../folders/resolve-folder.ts'
import { assetColumns, drawAsset, drawPlan, drawTimeline } from './asset-drawing.ts'
import { linkCommand } from './link.ts'
import { assetHelp, namedAsset } from './named-asset.ts'
import { watchCommand } from './watch.ts'

export function assetsCommand(cli: Cli): Command {
  return new Command('assets')
    .description('videos, and what becomes of them')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(watchCommand(cli))
    .addCommand(linkCommand(cli))
    .addCommand(timeline(cli))
    .addCommand(plan(cli))
    .addCommand(rename(cli))
    .addCommand(move(cli))
    .addCommand(cancel(cli))
    .addCommand(retry(cli))
    .addCommand(deletion(cli))
}

type AssetListOptions = ListOptions & {
  readonly folder?: string
  readonly recursive?: boolean
  readonly status?: NonNullable<ListAssetsQuery['status']>
  readonly query?: string
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('assets, newest first')
    .option('--folder <folder>', `only those in a folder: ${folderHelp}, or root`)
    .option('--recursive', 'with --folder: also those in the folders beneath it')
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(assetStatuses),
    )
    .option('--query <text>', 'only those whose title contains this')
    .action(async ({ folder, recursive, status, query, limit, all }: AssetListOptions) => {
      const reelkeep = await connect(cli)
      const list = reelkeep.assets.list({
        ...(folder && { folder: (await resolveFolder(reelkeep, folder)) ?? ROOT }),
        ...(recursive && { recursive }),
        ...(status && { status }),
        ...(query && { q: query }),
        ...(limit !== undefined && { limit }),
      })
      await printList(cli, list, { ...(all && { all }), things: 'assets', columns: assetColumns })
    })

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const show = (cli: Cli) =>
  onAsset('show', 'one asset').action(async (name: string) => {
    const { reelkeep, id } = await namedAsset(cli, name)
    const asset = await reelkeep.assets.read(id)
    cli.output().result(asset, (look) => drawAsset(asset, look))
  })

const timeline = (cli: Cli) =>
  onAsset('timeline', 'what happened to an asset, and what is awaited').action(
    async (name: string) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const timeline = await reelkeep.assets.readTimeline(id)
      cli.output().result(timeline, (look) => drawTimeline(timeline, look))
    },
  )

const plan = (cli: Cli) =>
  onAsset('plan', 'what is made of the video, and why').action(async (name: string) => {
    const { reelkeep, id } = await namedAsset(cli, name)
    const plan = await reelkeep.assets.readPlan(id)
    cli.output().result(plan, (look) => drawPlan(plan, look))
  })

const rename = (cli: Cli) =>
  onAsset('rename', 'give an asset another title')
    .argument('<title>')
    .action(async (name: string, title: string) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const asset = await reelkeep.assets.rename(id, { title })
      cli.output().result(asset, (look) => drawAsset(asset, look))
    })

const move = (cli: Cli) =>
  onAsset('move', 'move an asset into a folder')
    .argument('<folder>', `${folderHelp}, or root`)
    .action(async (name: string, to: string) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const folder = await resolveFolder(reelkeep, to)
      const asset = await reelkeep.assets.move(id, { folder })
      cli.output().result(asset, (look) => drawAsset(asset, look))
    })

const cancel = (cli: Cli) =>
  onAsset('cancel', 'stop working on an asset; its file stays').action(async (name: string) => {
    const { reelkeep, id } = await namedAsset(cli, name)
    const asset = await reelkeep.assets.cancel(id)
    cli.output().result(asset, (look) => drawAsset(asset, look))
  })

const retry = (cli: Cli) =>
  onAsset('retry', 'process an asset again that failed or was cancelled').action(
    async (name: string) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const asset = await reelkeep.assets.retry(id)
      cli.output().result(asset, (look) => drawAsset(asset, look))
    },
  )

const deletion = (cli: Cli) =>
  onAsset('delete', 'delete an asset, with its file and all that was made of it')
    .option('--yes', 'do not ask')
    .action(async (name: string, { yes }: { yes?: true }) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const { title } = await reelkeep.assets.read(id)
      await mustConfirm(cli, { question: `Delete ${title}?`, yes })
      await reelkeep.assets.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted ${printable(title)}.`)
    })
