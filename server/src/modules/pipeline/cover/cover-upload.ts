/** Encodes an uploaded image as the cover. It is decoded in the sandbox, and never served as it was uploaded. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openScratch, renderImage, ThumbnailsFailed } from '@reelkeep/media'
import { isSuspended } from '../../../platform/db/suspension.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type CoverUploadInput, failCover, findAsset } from '../../assets/assets.ts'
import type { PipelineDeps } from '../attempt.ts'
import { COVER_SIDE_MAX } from '../steps/thumbnails.step.ts'
import { deleteUnused, storeCover } from './stored-cover.ts'

type UploadDeps = Pick<PipelineDeps, 'uploads' | 'media' | 'sandbox'>

const NOT_AN_IMAGE =
  'The uploaded image could not be used as the cover: it must be a JPEG, PNG or WebP of at most 40 megapixels.'

export async function encodeCover(deps: UploadDeps, attempt: Attempt<CoverUploadInput>): Promise<void> {
  const { db, input, shuttingDown, isLast } = attempt
  const asset = await findAsset(db, input.assetId)
  if (asset?.coverRequest !== input.request) return deleteUnused(deps, attempt)
  try {
    const image = await encode(deps, attempt)
    await storeCover(deps, attempt, { image, detail: 'The cover is an uploaded image.' })
  } catch (error) {
    // Another attempt would fail in the same way.
    if (error instanceof ThumbnailsFailed) return failCover(db, input, NOT_AN_IMAGE)
    if (isLast && !shuttingDown.aborted && !isSuspended(error)) {
      await failCover(db, input, NOT_AN_IMAGE)
      await deleteUnused(deps, attempt)
    }
    throw error
  }
}

async function encode(
  { uploads, sandbox }: UploadDeps,
  { input: { image }, signal }: Attempt<CoverUploadInput>,
): Promise<Buffer> {
  await using scratch = await openScratch()
  const { directory } = scratch
  const path = join(directory, 'image')
  const chunks = await Array.fromAsync(await uploads.read(image, { start: 0, end: image.bytes }, signal))
  await writeFile(path, Buffer.concat(chunks))
  const output = { name: 'cover.jpg', longSideMax: COVER_SIDE_MAX }
  return readFile(await renderImage(sandbox, path, output, { directory, signal }))
}
