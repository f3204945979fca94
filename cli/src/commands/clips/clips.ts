import { Command } from 'commander'
import type { Asset } from 'reelkeep'
import { seconds } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { assetHelp, resolveAsset } from '../assets/resolve-asset.ts'

type Part = { readonly from: number; readonly to: number }

export const clipsCommand = (cli: Cli): Command =>
  new Command('clips')
    .description('Show parts of videos without encoding anything, or render them as videos of their own')
    .addCommand(createCommand(cli))
    .addCommand(renderCommand(cli))
    .addCommand(trimCommand(cli))
    .addCommand(untrimCommand(cli))

const createCommand = (cli: Cli) =>
  withPart(new Command('create'))
    .description('Create an asset that shows a part of another one')
    .option('--title <title>', 'Title of the clip (default: the title of the asset)')
    .action(async (name: string, { from, to, title }: Part & { readonly title?: string }) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const clip = await reelkeep.clips.create(id, partOf({ from, to }, title))
      cli.output().result(clip, () => `Created the clip ${clip.id} (${lengthOf(clip)}).`)
    })

type RenderOptions = Partial<Part> & { readonly title?: string; readonly wait?: boolean }

const renderCommand = (cli: Cli) =>
  new Command('render')
    .description('Render an asset, or a part of it, as an independent asset')
    .argument('<asset>', assetHelp)
    .option('--from <seconds>', 'Time of the first frame (default: the start)', seconds)
    .option('--to <seconds>', 'Time after the last frame (default: the end)', seconds)
    .option('--title <title>', 'Title of the new asset (default: the title of the asset)')
    .option('--wait', 'Wait until the new asset is complete')
    .action(async (name: string, { from, to, title, wait }: RenderOptions) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const body = {
        ...(from !== undefined && { start_seconds: from }),
        ...(to !== undefined && { end_seconds: to }),
        ...(title !== undefined && { title }),
      }
      const created = await reelkeep.clips.render(id, body)
      const asset = wait ? await reelkeep.assets.waitUntilCompleted(created.id) : created
      const state = wait ? 'Rendered' : 'Rendering'
      cli.output().result(asset, () => `${state} the new asset ${asset.id} (${lengthOf(asset)}).`)
    })

const trimCommand = (cli: Cli) =>
  withPart(new Command('trim'))
    .description('Show only a part of an asset')
    .action(async (name: string, part: Part) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const asset = await reelkeep.clips.trim(id, partOf(part))
      cli.output().result(asset, () => `${asset.title} is now ${lengthOf(asset)} long.`)
    })

const untrimCommand = (cli: Cli) =>
  new Command('untrim')
    .description('Show the whole video again')
    .argument('<asset>', assetHelp)
    .action(async (name: string) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      await reelkeep.clips.untrim(id)
      cli.output().result({ id }, () => 'The asset shows the whole video.')
    })

const withPart = (command: Command) =>
  command
    .argument('<asset>', assetHelp)
    .requiredOption('--from <seconds>', 'Time of the first frame', seconds)
    .requiredOption('--to <seconds>', 'Time after the last frame', seconds)

const partOf = ({ from, to }: Part, title?: string) => ({
  start_seconds: from,
  end_seconds: to,
  ...(title !== undefined && { title }),
})

const lengthOf = ({ video }: Asset) => `${Number((video.duration ?? 0).toFixed(3))} seconds`
