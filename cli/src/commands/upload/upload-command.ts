import { Command, InvalidArgumentError, Option } from 'commander'
import { collect, collectPair } from '../../arguments/pairs.ts'
import { setOption } from '../../arguments/sets.ts'
import { resolutions } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { readProfile } from '../../profile/profile.ts'
import { folderHelp } from '../folders/resolve-folder.ts'
import { runUpload, type UploadOptions } from './run-upload.ts'
import { protectionNames, resolutionsHelp } from './upload-settings.ts'

/** Maximum number of parallel uploads; more would only share the bandwidth. */
const CONCURRENCY_MAX = 16

export function uploadCommand(cli: Cli): Command {
  return new Command('upload')
    .description('Upload video files; run the same command again to resume')
    .argument('<files...>', 'Files, or folders with --recursive')
    .option('--folder <folder>', `Target folder (default: root): ${folderHelp}`)
    .option('--title <title>', 'Title of a single video (default: file name without extension)')
    .addOption(setOption('--resolutions <list>', resolutionsHelp, resolutions))
    .addOption(
      new Option('--protect <how>', "Content protection (default: the organization's setting)").choices(
        protectionNames,
      ),
    )
    .option('--subtitles', 'Generate subtitles from speech')
    .option('--description <text>', 'Description of the videos')
    .option('--tag <tag>', 'Tag of the videos; can be repeated', collect)
    .option('--external-id <id>', 'Your own identifier of a single video')
    .option('--metadata <key=value>', 'Metadata of the videos; can be repeated', collectPair)
    .option('--watch', 'Wait until the videos are processed, and print their links')
    .option('--recursive', 'Upload the videos in folders, and create these folders')
    .option('--any-type', 'Also upload files whose contents are not a video, such as text files')
    .option('--concurrency <number>', 'Number of files to upload in parallel', concurrency, 2)
    .option('--no-resume', 'Do not resume or save interrupted uploads')
    .action(async (paths: string[], options: UploadOptions) => {
      const isSingle = paths.length === 1 && !options.recursive
      if (options.title !== undefined && !isSingle)
        throw new CommandError('--title is for a single file.', exitCodes.usage)
      if (options.externalId !== undefined && !isSingle)
        throw new CommandError('--external-id is for a single file.', exitCodes.usage)
      const profile = await readProfile(cli.environment)
      await runUpload(cli, {
        paths,
        options,
        profile,
        reelkeep: await connect({ environment: cli.environment }),
      })
    })
}

function concurrency(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= CONCURRENCY_MAX) return number
  throw new InvalidArgumentError(`Must be a number from 1 to ${CONCURRENCY_MAX}.`)
}
