/**
 * Clips and trims: parts of videos that are shown without encoding or copying anything, or rendered by a job
 * (docs/decisions/0049-clips-and-trims.md).
 */
import { type AssetId, newAssetId, type TokenId } from '../../kernel/ids.ts'
import { titleForSearch } from '../../kernel/search-text.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Precondition } from '../../platform/http/responses/entity-tag.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import {
  type Asset,
  assetNotFound,
  assetUpdated,
  durationOf,
  findShownSource,
  framesBetween,
  lockAsset,
  mediaIdOf,
  recordTimeline,
  requestCoverFrame,
  requireAsset,
  secondsOf,
  statusReached,
  versionOf,
  wholeDurationOf,
} from '../assets/assets.ts'
import { addChapters, chaptersWithin, readChapters } from '../chapters/chapters.ts'
import { recordEvents } from '../events/events.ts'
import { assertRoomForAsset, assertRoomForRender, lockQuotas, recordReachedLevels } from '../quotas/quotas.ts'
import { findPlan, readPlan, renderPart, requirePlan } from '../renditions/renditions.ts'
import { addTrack, copyTexts, discardText, type StoredText } from '../subtitles/subtitles.ts'
import { assertRenderable, assertWhole, gridOf, shownFrames, type Times, wholeFrames } from './clips.rules.ts'
import * as store from './clips.store.ts'

/** Undefined times are those of the video. */
export type NewClip = { readonly [Time in keyof Times]: Times[Time] | undefined } & {
  /** Whether the part gets media of its own, cut at exactly its frames. */
  readonly isRendered: boolean
  /** Undefined for the title of the parent. */
  readonly title: string | undefined
  readonly createdBy: TokenId
  /** The operator has limited the organization. */
  readonly hasQuotas: boolean
}

/** A clip whose subtitles are in storage, and which has no rows yet. */
export type PreparedClip = NewClip & {
  readonly id: AssetId
  readonly parentId: AssetId
  readonly texts: readonly StoredText[]
}

/** Whether the media has an uploaded file. It may be that of an asset outside the limits of the principal. */
const hasFile = (db: OrganizationDb, asset: Asset): Promise<boolean> =>
  db.withLimits(undefined, async (all) => (await findShownSource(all, asset)) !== undefined)

/** The times of a part of a video; by default, of all that it shows. */
const timesIn = (
  { durationSeconds }: Pick<Asset, 'durationSeconds'>,
  { startSeconds, endSeconds }: Pick<NewClip, keyof Times>,
): Times => ({
  startSeconds: startSeconds ?? 0,
  endSeconds: endSeconds ?? durationSeconds ?? 0,
})

/** Validates the clip and stores its subtitles, with the times of the clip. */
export async function prepareClip(
  media: MediaBucket,
  db: OrganizationDb,
  parentId: AssetId,
  clip: NewClip,
): Promise<PreparedClip> {
  const { asset: parent, plan: found } = await readPlan(db, parentId)
  const plan = assertWhole(parent, found)
  const id = newAssetId()
  if (clip.isRendered) assertRenderable(parent, await hasFile(db, parent))
  const times = timesIn(parent, clip)
  const part = timesInWhole(parent, framesBetween({ ...shownFrames(parent, plan), ...gridOf(plan) }, times))
  const texts = await copyTexts(media, db, { from: parent, to: id, part })
  return { ...clip, id, parentId, texts }

  function timesInWhole(asset: Asset, { startFrame, endFrame }: ReturnType<typeof framesBetween>): Times {
    const first = wholeFrames(asset, plan).startFrame
    const grid = gridOf(plan)
    return { startSeconds: secondsOf(startFrame - first, grid), endSeconds: secondsOf(endFrame - first, grid) }
  }
}

export async function discardClip(media: MediaBucket, { texts }: PreparedClip): Promise<void> {
  for (const text of texts) await discardText(media, text)
}

type OrganizationQuotas = Awaited<ReturnType<typeof lockQuotas>>

const assertRoom = ({ isRendered }: PreparedClip, quotas: OrganizationQuotas): void =>
  isRendered ? assertRoomForRender(quotas) : assertRoomForAsset(quotas)

/** Creates the clip. Its cover is rendered by a job, and so is the part itself if it is rendered. */
export const createClip = (db: OrganizationDb, clip: PreparedClip): Promise<Asset> =>
  db.transaction(async (tx) => {
    if (clip.hasQuotas) assertRoom(clip, await lockQuotas(tx))
    const parent = await lockAsset(tx, clip.parentId)
    const mediaId = mediaIdOf(parent)
    // The parent may be a clip, whose media is that of another asset.
    if (!(await store.lockMediaOf(tx, mediaId))) throw assetNotFound()
    const plan = assertWhole(parent, await findPlan(tx, { id: mediaId }))
    const grid = gridOf(plan)
    const frames = framesBetween({ ...shownFrames(parent, plan), ...grid }, timesIn(parent, clip))
    const durationSeconds = durationOf({ ...frames, ...grid })
    const { id: assetId, parentId, createdBy, isRendered } = clip
    const title = titleForSearch(tx.organizationId, cleanTitle(clip.title ?? parent.title, 'title'))
    const row = { assetId, parentId, mediaId, ...frames, ...grid, ...title, createdBy, durationSeconds, isRendered }
    await store.writeClip(tx, row)
    const created = await requireAsset(tx, assetId)
    await recordEvents(tx, ...statusReached({ ...created, status: 'Not Started' }), ...statusReached(created))
    const startSeconds = secondsOf(frames.startFrame - wholeFrames(parent, plan).startFrame, grid)
    const playable = (await readChapters(tx, parent)).filter(({ isBeyondEnd }) => !isBeyondEnd)
    const chapters = chaptersWithin(playable, { startSeconds, durationSeconds })
    if (chapters.length > 0) await addChapters(tx, assetId, chapters)
    for (const text of clip.texts) await addTrack(tx, assetId, text)
    await recordTimeline(tx, created, clipped(clip))
    if (clip.hasQuotas) await recordReachedLevels(tx)
    await enqueueImages(tx, clip)
    return requireAsset(tx, assetId)
  })

const clipped = ({ isRendered, parentId }: PreparedClip) => ({
  what: 'clipped',
  detail: `Created as a ${isRendered ? 'part' : 'clip'} of the asset ${parentId}.`,
})

/** The cover of a rendered part is that of its own media. */
async function enqueueImages(tx: OrganizationDb, { id: assetId, isRendered }: PreparedClip): Promise<void> {
  if (isRendered) await enqueueJob(tx, renderPart, { input: { assetId, run: 0 } })
  else await requestCoverFrame(tx, assetId, 0)
}

export type Trim = Times & {
  /** Throws unless the asset may be changed in its current version. */
  readonly assertVersion: Precondition
}

/** Shows only a part of the video. The times are those of the video without a trim. */
export const setTrim = (db: OrganizationDb, id: AssetId, { assertVersion, ...times }: Trim): Promise<Asset> =>
  db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    assertVersion(versionOf(asset))
    const mediaId = mediaIdOf(asset)
    const plan = assertWhole(asset, await findPlan(tx, { id: mediaId }))
    const [grid, whole] = [gridOf(plan), wholeFrames(asset, plan)]
    const frames = framesBetween({ ...whole, ...grid }, times)
    if (
      asset.range?.isTrimmed &&
      asset.range.startFrame === frames.startFrame &&
      asset.range.endFrame === frames.endFrame
    )
      return asset
    const durationSeconds = durationOf({ ...frames, ...grid })
    await store.writeTrim(tx, { assetId: id, mediaId, ...frames, ...grid, whole, durationSeconds })
    return recordChange(tx, id, {
      what: 'trimmed',
      detail: `Trimmed to ${Number(durationSeconds.toFixed(3))} seconds.`,
    })
  })

/** Shows the whole video again. */
export const deleteTrim = (db: OrganizationDb, id: AssetId, assertVersion: Precondition): Promise<void> =>
  db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    assertVersion(versionOf(asset))
    if (!asset.range?.isTrimmed) return
    const mediaId = mediaIdOf(asset)
    const { parentId } = asset.range
    const durationSeconds = parentId
      ? wholeDurationOf(asset.range)
      : (await requirePlan(tx, { id: mediaId })).durationSeconds
    await store.deleteTrim(tx, asset, { mediaId, durationSeconds })
    await recordChange(tx, id, { what: 'untrimmed', detail: 'The whole video is shown again.' })
  })

async function recordChange(
  tx: OrganizationDb,
  id: AssetId,
  entry: { readonly what: string; readonly detail: string },
): Promise<Asset> {
  const changed = await requireAsset(tx, id)
  await recordTimeline(tx, changed, entry)
  await recordEvents(tx, assetUpdated(changed))
  return changed
}
