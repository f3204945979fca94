import { openAsBlob } from 'node:fs'
import { Command } from 'commander'
import type { Cover, Reelkeep } from 'reelkeep'
import { seconds, wholeNumber } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { byteCount } from '../../terminal/amounts.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type Options = {
  readonly at?: number
  readonly thumbnail?: number
  readonly image?: string
  readonly reset?: true
}

export const coverCommand = (cli: Cli): Command =>
  new Command('cover')
    .description('Show or choose the cover of an asset, which players show before playback')
    .argument('<asset>', assetHelp)
    .option('--at <seconds>', 'Use the frame at this time', seconds)
    .option('--thumbnail <number>', 'Use a generated thumbnail, from 1', wholeNumber)
    .option('--image <file>', 'Use this JPEG, PNG or WebP image')
    .option('--reset', 'Return to the cover that was chosen automatically')
    .action(async (name: string, { at, thumbnail, image, reset }: Options) => {
      const given = [at, thumbnail, image, reset].filter((value) => value !== undefined)
      if (given.length > 1)
        throw new CommandError('Choose one of --at, --thumbnail, --image and --reset.', exitCodes.usage)
      const { reelkeep, id } = await resolveAsset(cli, name)
      if (reset) await reelkeep.covers.delete(id)
      const change =
        image === undefined ? changeOf(at, thumbnail) : { upload_id: await uploadImage(cli, reelkeep, id, image) }
      const cover = change ? await reelkeep.covers.set(id, change) : await reelkeep.covers.read(id)
      cli.output().result(cover, () => describe(cover))
    })

function changeOf(at: number | undefined, thumbnail: number | undefined) {
  if (at !== undefined) return { at_seconds: at }
  return thumbnail === undefined ? undefined : { thumbnail }
}

/** Posts the image to storage. Returns the id of the upload. */
async function uploadImage(
  { interrupted: signal }: Cli,
  reelkeep: Reelkeep,
  id: string,
  path: string,
): Promise<string> {
  const image = await openAsBlob(path)
  const upload = await reelkeep.covers.createUpload(id)
  if (image.size > upload.max_bytes)
    throw new CommandError(`${path} is too large. The limit is ${byteCount(upload.max_bytes)}.`, exitCodes.usage)
  const { upload_link: link, ...fields } = upload.client_payload
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', image)
  const response = await fetch(link, { method: 'POST', body: form, signal })
  if (!response.ok) throw new CommandError(`Storage refused the image with status ${response.status}.`)
  return upload.id
}

const describe = ({ status, url }: Cover) =>
  status === 'processing' ? 'The new cover is being created.' : (url ?? 'The video has no cover yet.')
