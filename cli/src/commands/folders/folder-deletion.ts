import { Command } from 'commander'
import type { FolderDeletion } from 'reelkeep'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { folderHelp, requireFolder } from './resolve-folder.ts'

type Options = { readonly recursive?: boolean; readonly yes?: boolean }

export const folderDeletion = (cli: Cli): Command =>
  new Command('delete')
    .description('delete a folder')
    .argument('<folder>', folderHelp)
    .option('--recursive', 'with the folders beneath it and the assets in all of them')
    .option('--yes', 'do not ask')
    .action(async (name: string, { recursive = false, yes }: Options) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const preview = recursive ? await reelkeep.folders.previewDeletion(uuid) : undefined
      if (preview) assertAllowed(preview)
      const question = preview ? `Delete ${takenBy(preview)}?` : `Delete the folder ${name}?`
      await mustConfirm(cli, { question, yes })
      await reelkeep.folders.delete(uuid, { recursive })
      cli
        .output()
        .result({ uuid, deleted: true, ...preview }, () =>
          preview ? `Deleted ${takenBy(preview)}.` : `Deleted the folder ${name}.`,
        )
    })

const takenBy = ({ folder_count, asset_count }: FolderDeletion) =>
  `${counted(folder_count, 'folder')} and ${counted(asset_count, 'asset')}`

function assertAllowed(preview: FolderDeletion): void {
  if (preview.allowed) return
  throw new CommandError(
    `That would take ${takenBy(preview)}, more than one request may delete.`,
    exitCodes.conflict,
    'Delete what lies in it first, a folder at a time.',
  )
}
