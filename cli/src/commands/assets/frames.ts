import { Command } from 'commander'
import type { Frames } from 'reelkeep'
import { seconds } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type Frame = Frames['frames'][number]

const columns: readonly Column<Frame>[] = [
  { title: 'frame', cell: ({ number }) => String(number) },
  { title: 'seconds', cell: ({ time }) => time.toFixed(6) },
  { title: '', cell: ({ is_keyframe: isKeyframe }) => (isKeyframe ? 'keyframe' : '') },
]

export const framesCommand = (cli: Cli): Command =>
  new Command('frames')
    .description('Show the exact times of the frames around a position')
    .argument('<asset>', assetHelp)
    .requiredOption('--around <seconds>', 'Position in the video', seconds)
    .action(async (name: string, { around }: { readonly around: number }) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const found = await reelkeep.assets.readFrames(id, { around })
      cli.output().result(found, (style) => renderTable(columns, found.frames, style))
    })
