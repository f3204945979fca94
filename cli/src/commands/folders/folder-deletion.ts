import { Command } from 'commander'
import type { FolderDeletion } from 'reelkeep'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { folderHelp, requireFolder } from './resolve-folder.ts'

type Options = { readonly recursive?: boolean; readonly permanently?: boolean; readonly yes?: boolean }

export const folderDeletion = (cli: Cli): Command =>
  new Command('delete')
    .description('Move a folder to the trash')
    .argument('<folder>', folderHelp)
    .option('--recursive', 'Also delete its subfolders and all assets in them')
    .option('--permanently', 'Delete it without the trash')
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, { recursive = false, permanently = false, yes }: Options) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const preview = recursive ? await reelkeep.folders.previewDeletion(uuid) : undefined
      if (preview) assertAllowed(preview)
      const subject = preview ? contentsOf(preview) : `the folder ${name}`
      const question = permanently ? `Delete ${subject} permanently?` : `Move ${subject} to the trash?`
      await mustConfirm(cli, { question, yes })
      await reelkeep.folders.delete(uuid, { recursive, permanently })
      cli
        .output()
        .result({ uuid, deleted: true, ...preview }, () =>
          permanently
            ? `Deleted ${subject} permanently.`
            : `Moved ${subject} to the trash. Restore: reelkeep folders restore ${uuid}`,
        )
    })

const contentsOf = ({ folder_count, asset_count }: FolderDeletion) =>
  `${counted(folder_count, 'folder')} and ${counted(asset_count, 'asset')}`

function assertAllowed(preview: FolderDeletion): void {
  if (preview.allowed) return
  throw new CommandError(
    `Cannot delete ${contentsOf(preview)} in one request.`,
    exitCodes.conflict,
    'Delete the subfolders first.',
  )
}
