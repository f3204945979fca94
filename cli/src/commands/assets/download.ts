import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { type Resolution, resolutions } from '../../arguments/values.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { byteCount } from '../../terminal/amounts.ts'
import { printable } from '../../terminal/width.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type Options = { readonly mp4?: Resolution | true; readonly output?: string }

export const downloadCommand = (cli: Cli): Command =>
  new Command('download')
    .description('Download the source of an asset, or a rendition as MP4')
    .argument('<asset>', assetHelp)
    .addOption(
      new Option('--mp4 [resolution]', 'Download a rendition instead; the largest if none is given').choices(
        resolutions,
      ),
    )
    .option('--output <file>', 'File to write, or - for standard output; by default it is named after the title')
    .action(async (name: string, { mp4, output }: Options) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const download = await reelkeep.downloads.create(id, {
        kind: mp4 === undefined ? 'source' : 'mp4',
        ...(typeof mp4 === 'string' && { resolution: mp4 }),
      })
      const file = output ?? download.file_name
      if (file === '-') return pipeline(await open(cli, download.url), process.stdout, { end: false })
      const bytes = await save(cli, download.url, file)
      cli.output().result({ file, bytes }, () => `Saved ${printable(file)} (${byteCount(bytes)}).`)
    })

/** Writes the file under another name until it is complete. Never replaces a file. */
async function save(cli: Cli, url: string, file: string): Promise<number> {
  if (await exists(file))
    throw new CommandError(`${file} already exists.`, exitCodes.conflict, 'Choose another --output.')
  const partial = `${file}.part`
  try {
    await pipeline(await open(cli, url), createWriteStream(partial))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return (await stat(file)).size
}

async function open({ interrupted: signal }: Cli, url: string): Promise<Readable> {
  const response = await fetch(url, { signal })
  if (!response.ok || !response.body)
    throw new CommandError(`The download failed: the server returned status ${response.status}.`)
  return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )
