/**
 * Renders a part of a video as an asset of its own. Until the end, the asset shows the part as a clip, so that its
 * media cannot be deleted. All files are written under prefixes of this attempt, and one transaction makes them
 * visible. An attempt that is repeated starts again; what it left is cleaned up.
 */
import { randomBytes } from 'node:crypto'
import { isSuspended } from '../../../platform/db/suspension.ts'
import { Postponed } from '../../../platform/jobs/handler.ts'
import {
  type Asset,
  changeStatus,
  type Failure,
  failAsset,
  findSource,
  finishRender,
  mediaIdOf,
  requestCoverFrame,
  requireAsset,
  type ShownRange,
} from '../../assets/assets.ts'
import { recordPublished } from '../../published-files/published-files.ts'
import { EncoderMismatch, publishRendered, requirePlan } from '../../renditions/renditions.ts'
import { enqueueCleanUp } from '../outputs.ts'
import { completed, processingFailed, processingStarted } from '../pipeline.rules.ts'
import { lockOpen, type RenderAttempt } from './render-attempt.ts'
import type { RenderDeps } from './render-deps.ts'
import { copyImages } from './render-images.ts'
import { type Rendered, RenderingEnded, renderSegments } from './render-segments.ts'

type Clip = Asset & { readonly range: ShownRange }

/** The step in the rows of the published files. No step of the pipeline can create them again. */
const STEP = 'render'

export async function render(deps: RenderDeps, attempt: RenderAttempt): Promise<void> {
  const { input, logger, isLast, shuttingDown } = attempt
  const asset = await start(attempt)
  if (!asset) return
  try {
    const rendered = await renderMedia(deps, attempt, asset)
    const images = await copyImages(deps, attempt, { asset, prefix: rendered.imagesPrefix })
    if (!(await publish(deps, attempt, { rendered, images }))) await discard(deps, rendered)
  } catch (error) {
    if (error instanceof RenderingEnded) return
    if (shuttingDown.aborted || isSuspended(error) || error instanceof Postponed) throw error
    const isFinal = isLast || error instanceof EncoderMismatch
    if (!isFinal) throw error
    logger.error({ err: error, asset_id: input.assetId }, 'failed to render a part')
    await fail(attempt, error instanceof EncoderMismatch ? otherEncoder : processingFailed('Rendering'))
    if (!(error instanceof EncoderMismatch)) throw error
  }
}

/** Undefined if this rendering has ended. */
function start({ db, input }: RenderAttempt): Promise<Clip | undefined> {
  return db.transaction((tx) =>
    tx.withTrash(async (all) => {
      const asset = await lockOpen(all, input)
      if (!asset) return undefined
      const started =
        asset.status === 'Queued' ? await changeStatus(all, asset, 'Processing', processingStarted) : asset
      return started.range ? { ...started, range: started.range } : undefined
    }),
  )
}

async function renderMedia(deps: RenderDeps, attempt: RenderAttempt, asset: Clip): Promise<Rendered> {
  const { db } = attempt
  const mediaId = mediaIdOf(asset)
  const plan = await requirePlan(db, { id: mediaId })
  const source = await db.withTrash((all) => findSource(all, mediaId))
  const nonce = randomBytes(8).toString('hex')
  return renderSegments(deps, attempt, { asset, source, plan, nonce })
}

type Result = { readonly rendered: Rendered; readonly images: Awaited<ReturnType<typeof copyImages>> }

/** Returns false if this rendering has ended. */
function publish({ settings }: RenderDeps, { db, input }: RenderAttempt, { rendered, images }: Result) {
  return db.transaction((tx) =>
    tx.withTrash(async (all) => {
      const asset = await lockOpen(all, input)
      if (!asset) return false
      const { plan, groups, encodedSeconds } = rendered
      await publishRendered(all, asset, { plan, groups, encodedSeconds })
      for (const { prefix, files } of [...groups, images]) {
        await recordPublished(all, asset.id, { prefix, step: STEP, part: '', files })
      }
      await finishRender(all, asset, { settings, ...images.keys })
      await changeStatus(all, await requireAsset(all, asset.id), 'Completed', completed)
      await enqueueCleanUp(all, asset)
      await requestCoverFrame(all, asset.id, 0)
      return true
    }),
  )
}

/** Nothing refers to these files. After an error here, they are deleted with the asset. */
async function discard({ media }: RenderDeps, { groups, imagesPrefix }: Rendered): Promise<void> {
  for (const prefix of [...groups.map((group) => group.prefix), imagesPrefix]) await media.deleteAll(prefix)
}

const otherEncoder: Failure = {
  code: 'encoding_failed',
  detail:
    'The video was encoded by another version of the encoder, so newly encoded segments would not match its segments. Upload the video as a new version, then render the part again.',
}

const fail = ({ db, input }: RenderAttempt, failure: Failure): Promise<void> =>
  db.transaction((tx) =>
    tx.withTrash(async (all) => {
      const asset = await lockOpen(all, input)
      if (!asset) return
      await failAsset(all, asset.id, failure)
      await enqueueCleanUp(all, asset)
    }),
  )
