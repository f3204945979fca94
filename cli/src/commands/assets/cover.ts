import { Command } from 'commander'
import type { Cover } from 'reelkeep'
import { seconds, wholeNumber } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type Options = { readonly at?: number; readonly thumbnail?: number; readonly reset?: true }

export const coverCommand = (cli: Cli): Command =>
  new Command('cover')
    .description('Show or choose the cover of an asset, which players show before playback')
    .argument('<asset>', assetHelp)
    .option('--at <seconds>', 'Use the frame at this time', seconds)
    .option('--thumbnail <number>', 'Use a generated thumbnail, from 1', wholeNumber)
    .option('--reset', 'Return to the cover that was chosen automatically')
    .action(async (name: string, { at, thumbnail, reset }: Options) => {
      const given = [at, thumbnail, reset].filter((value) => value !== undefined)
      if (given.length > 1) throw new CommandError('Choose one of --at, --thumbnail and --reset.', exitCodes.usage)
      const { reelkeep, id } = await resolveAsset(cli, name)
      if (reset) await reelkeep.covers.delete(id)
      const isChange = at !== undefined || thumbnail !== undefined
      const cover = isChange
        ? await reelkeep.covers.set(id, at === undefined ? { thumbnail: thumbnail ?? 1 } : { at_seconds: at })
        : await reelkeep.covers.read(id)
      cli.output().result(cover, () => describe(cover))
    })

const describe = ({ status, url }: Cover) =>
  status === 'processing' ? 'The new cover is being created.' : (url ?? 'The video has no cover yet.')
