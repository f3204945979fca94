import { Command } from 'commander'
import type { AssetProgress } from 'reelkeep'
import type { Cli } from '../../cli.ts'
import { drawAsset, statusOf } from './asset-drawing.ts'
import { assetHelp, namedAsset } from './named-asset.ts'

/** A line for each step, so that a log is not filled with percents. */
const STEP_PERCENT = 10

export const watchCommand = (cli: Cli): Command =>
  new Command('watch')
    .description('follow an asset until it is made')
    .argument('<asset>', assetHelp)
    .option('--playable', 'only until its beginning can be played')
    .action(async (name: string, { playable }: { playable?: true }) => {
      const {
        reelkeep: { assets },
        id,
      } = await namedAsset(cli, name)
      const wait = playable ? assets.waitUntilPlayable : assets.waitUntilCompleted
      const asset = await wait(id, { signal: cli.interrupted, onProgress: tellingSteps(cli) })
      cli.output().result(asset, (look) => drawAsset(asset, look))
    })

function tellingSteps(cli: Cli): (progress: AssetProgress) => void {
  let told = ''
  return ({ status, progress }) => {
    const text = statusOf({ status, progress: progress - (progress % STEP_PERCENT) })
    if (text === told) return
    told = text
    cli.output().note(text)
  }
}
