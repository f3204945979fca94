import { Command } from 'commander'
import type { AssetProgress } from 'reelkeep'
import type { Cli } from '../../cli.ts'
import { renderAsset, statusOf } from './render-asset.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

/** Minimum progress between two printed lines, to keep logs short. */
const STEP_PERCENT = 10

export const watchCommand = (cli: Cli): Command =>
  new Command('watch')
    .description('Wait until an asset is processed, and show progress')
    .argument('<asset>', assetHelp)
    .option('--playable', 'Only wait until playback can start')
    .action(async (name: string, { playable }: { playable?: true }) => {
      const {
        reelkeep: { assets },
        id,
      } = await resolveAsset(cli, name)
      const wait = playable ? assets.waitUntilPlayable : assets.waitUntilCompleted
      const asset = await wait(id, { signal: cli.interrupted, onProgress: progressPrinter(cli) })
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })

function progressPrinter(cli: Cli): (progress: AssetProgress) => void {
  let printed = ''
  return ({ status, progress }) => {
    const text = statusOf({ status, progress: progress - (progress % STEP_PERCENT) })
    if (text === printed) return
    printed = text
    cli.output().note(text)
  }
}
