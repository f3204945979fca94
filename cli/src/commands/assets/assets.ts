import { Command } from 'commander'
import { type Cli, connect } from '../../cli.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { printable } from '../../terminal/width.ts'
import { folderHelp, resolveFolder } from '../folders/resolve-folder.ts'
import { coverCommand } from './cover.ts'
import { downloadCommand } from './download.ts'
import { framesCommand } from './frames.ts'
import { linkCommand } from './link.ts'
import { listCommand } from './list-assets.ts'
import { renderAsset, renderPlan, renderTimeline } from './render-asset.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'
import { updateCommand } from './update.ts'
import { watchCommand } from './watch.ts'

export function assetsCommand(cli: Cli): Command {
  return new Command('assets')
    .description('Manage videos')
    .addCommand(listCommand(cli))
    .addCommand(show(cli))
    .addCommand(watchCommand(cli))
    .addCommand(linkCommand(cli))
    .addCommand(downloadCommand(cli))
    .addCommand(coverCommand(cli))
    .addCommand(timeline(cli))
    .addCommand(plan(cli))
    .addCommand(framesCommand(cli))
    .addCommand(rename(cli))
    .addCommand(updateCommand(cli))
    .addCommand(move(cli))
    .addCommand(cancel(cli))
    .addCommand(retry(cli))
    .addCommand(deletion(cli))
    .addCommand(restore(cli))
}

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const show = (cli: Cli) =>
  onAsset('show', 'Show an asset').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const asset = await reelkeep.assets.read(id)
    cli.output().result(asset, (style) => renderAsset(asset, style))
  })

const timeline = (cli: Cli) =>
  onAsset('timeline', 'Show the history of an asset and what it is waiting for').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const timeline = await reelkeep.assets.readTimeline(id)
    cli.output().result(timeline, (style) => renderTimeline(timeline, style))
  })

const plan = (cli: Cli) =>
  onAsset('plan', 'Show the planned renditions of an asset, with reasons').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const plan = await reelkeep.assets.readPlan(id)
    cli.output().result(plan, (style) => renderPlan(plan, style))
  })

const rename = (cli: Cli) =>
  onAsset('rename', 'Rename an asset')
    .argument('<title>')
    .action(async (name: string, title: string) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const asset = await reelkeep.assets.update(id, { title })
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })

const move = (cli: Cli) =>
  onAsset('move', 'Move an asset to a folder')
    .argument('<folder>', `${folderHelp}, or root`)
    .action(async (name: string, to: string) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const folder = await resolveFolder(reelkeep, to)
      const asset = await reelkeep.assets.move(id, { folder })
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })

const cancel = (cli: Cli) =>
  onAsset('cancel', 'Cancel processing of an asset; its file is kept').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const asset = await reelkeep.assets.cancel(id)
    cli.output().result(asset, (style) => renderAsset(asset, style))
  })

const retry = (cli: Cli) =>
  onAsset('retry', 'Retry processing of an asset that failed or was cancelled').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const asset = await reelkeep.assets.retry(id)
    cli.output().result(asset, (style) => renderAsset(asset, style))
  })

const deletion = (cli: Cli) =>
  onAsset('delete', 'Move an asset to the trash')
    .option('--permanently', 'Delete it with its file and all renditions, also from the trash')
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, { permanently = false, yes }: { permanently?: boolean; yes?: true }) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      // An asset in the trash has no title that can be read.
      const title = permanently ? name : (await reelkeep.assets.read(id)).title
      const question = permanently ? `Delete ${title} permanently?` : `Move ${title} to the trash?`
      await mustConfirm(cli, { question, yes })
      await reelkeep.assets.delete(id, { permanently })
      cli
        .output()
        .result({ id, deleted: true }, () =>
          permanently
            ? `Deleted ${printable(title)} permanently.`
            : `Moved ${printable(title)} to the trash. Restore it: reelkeep assets restore ${id}`,
        )
    })

const restore = (cli: Cli) =>
  new Command('restore')
    .description('Restore an asset from the trash')
    .argument('<id>', 'id of the asset; see reelkeep trash list')
    .action(async (id: string) => {
      const reelkeep = await connect(cli)
      const asset = await reelkeep.assets.restore(id)
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })
