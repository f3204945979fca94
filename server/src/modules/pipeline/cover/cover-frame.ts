/** Renders a frame of the video as its cover, from a rendition: it is rotated and tone-mapped like the video itself. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openScratch, type Plan, renderFrame, renderThumbnail } from '@reelkeep/media'
import { isSuspended } from '../../../platform/db/suspension.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type Asset, type CoverFrame, failCover, findAsset, mediaIdOf, mediaSeconds } from '../../assets/assets.ts'
import { requirePlan } from '../../renditions/renditions.ts'
import type { PipelineDeps } from '../attempt.ts'
import { openStored } from '../outputs.ts'
import { coverRung } from '../steps/thumbnails.rules.ts'
import { COVER_SIDE_MAX, fetchKeyframes, openRendition, type RenditionContext } from '../steps/thumbnails.step.ts'
import { keyframeBefore, segmentAt } from './cover-frame.rules.ts'
import { deleteUnused, storeCover } from './stored-cover.ts'

type CoverDeps = Pick<PipelineDeps, 'media' | 'sandbox' | 'keyRing' | 'drm'>

export async function createCover(deps: CoverDeps, attempt: Attempt<CoverFrame>): Promise<void> {
  const { db, input, shuttingDown, isLast } = attempt
  const asset = await findAsset(db, input.assetId)
  if (asset?.coverRequest !== input.request) return deleteUnused(deps, attempt)
  try {
    // The files of the version that the asset shows.
    const shown = { ...asset, id: mediaIdOf(asset) }
    const image = await renderAt(deps, attempt, { asset: shown, plan: await requirePlan(db, shown) })
    await storeCover(deps, attempt, { image, detail: `The cover is the frame at ${input.atSeconds} seconds.` })
  } catch (error) {
    if (isLast && !shuttingDown.aborted && !isSuspended(error)) {
      await failCover(db, input, `The frame at ${input.atSeconds} seconds could not be used as the cover.`)
      await deleteUnused(deps, attempt)
    }
    throw error
  }
}

async function renderAt(
  { media, sandbox, keyRing, drm }: CoverDeps,
  { db, input, signal }: Attempt<CoverFrame>,
  { asset, plan }: { readonly asset: Asset; readonly plan: Plan },
): Promise<Buffer> {
  const { range } = asset
  const atSeconds = input.atSeconds + (range ? mediaSeconds(range).startSeconds : 0)
  await using scratch = await openScratch()
  const { directory } = scratch
  const context: RenditionContext = { db, asset, keyRing, drm, signal, stored: openStored(media, signal) }
  const rendition = await openRendition(context, coverRung(plan.rungs))
  const { width, height } = rendition.rung
  const file = { path: join(directory, 'frame.mp4'), width, height }
  const output = { name: 'cover.jpg', longSideMax: COVER_SIDE_MAX }
  const { readSegment } = rendition.clear
  if (!readSegment) {
    await writeFile(file.path, await fetchKeyframes(rendition, [keyframeBefore(rendition.keyframes, atSeconds)]))
    return readFile(await renderThumbnail(sandbox, file, output, { directory, signal }))
  }
  const { number, key, offsetSeconds } = segmentAt(rendition.segments, atSeconds, plan.frameRate)
  const init = await rendition.clear.readInit(rendition.initKey)
  await writeFile(file.path, Buffer.concat([init, await readSegment({ number, key })]))
  return readFile(await renderFrame(sandbox, file, { ...output, offsetSeconds }, { directory, signal }))
}
