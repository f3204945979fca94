import { Command, InvalidArgumentError, Option } from 'commander'
import { setOption } from '../../arguments/sets.ts'
import { resolutions } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { readProfile } from '../../profile/profile.ts'
import { folderHelp } from '../folders/resolve-folder.ts'
import { runUpload, type UploadOptions } from './run-upload.ts'
import { protectionNames, usualResolutions } from './wish.ts'

/** More at once only share the line. */
const AT_ONCE_MAX = 16

export function uploadCommand(cli: Cli): Command {
  return new Command('upload')
    .description('upload files; a command that was stopped goes on when it is run again')
    .argument('<files...>', 'files, or folders with --recursive')
    .option('--folder <folder>', `the folder to put them in, instead of the root: ${folderHelp}`)
    .option('--title <title>', 'of the video, for a single file; else its name without the ending')
    .addOption(
      setOption(
        '--resolutions <list>',
        `renditions to make, ${usualResolutions.join(',')} unless told; nothing is scaled up, so a small video gets fewer`,
        resolutions,
      ),
    )
    .addOption(
      new Option(
        '--protect <how>',
        "how it is protected, instead of the organization's way",
      ).choices(protectionNames),
    )
    .option('--subtitles', 'have subtitles made of what is said')
    .option('--watch', 'wait until the videos are made, and say where they play')
    .option('--recursive', 'the videos in folders too: folders on the disk become folders')
    .option('--at-once <number>', 'files that are sent at the same time', atOnce, 2)
    .option('--no-resume', 'send files from their beginning, and remember nothing')
    .action(async (paths: string[], options: UploadOptions) => {
      if (options.title !== undefined && (paths.length > 1 || options.recursive))
        throw new CommandError('--title is for a single file.', exitCodes.usage)
      const profile = await readProfile(cli.environment)
      await runUpload(cli, {
        paths,
        options,
        profile,
        reelkeep: await connect({ environment: cli.environment }),
      })
    })
}

function atOnce(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= AT_ONCE_MAX) return number
  throw new InvalidArgumentError(`It is a number from 1 to ${AT_ONCE_MAX}.`)
}
