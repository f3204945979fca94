/** Encoding plans, renditions and playable segments of videos. */
import { type EncodedTrack, type Part, type Plan, segmentName, type TrackName } from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Asset, markPlayable, mediaIdOf, recordTimeline, requireAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { type RenderInput, renderPart } from './render-job.ts'
import { renditionCompleted, renditionFailed } from './renditions.events.ts'
import {
  describePlan,
  type Frame,
  framesAround,
  isComplete,
  neededToStart,
  publishedTrack,
  type RenderedGroup,
  type RenderedTrack,
  renderedTrack,
  renditionsOf,
} from './renditions.rules.ts'
import * as store from './renditions.store.ts'

export type { RenderedGroup, RenderedTrack }
export { type RenderInput, renderPart }

/** Replaces an earlier plan and its renditions. */
export async function savePlan(tx: OrganizationDb, asset: Asset, plan: Plan): Promise<void> {
  const { durationSeconds: encodedSeconds } = plan
  await store.writePlan(tx, asset, { plan, renditions: renditionsOf(plan), encodedSeconds })
  await recordTimeline(tx, asset, { what: 'planned', detail: describePlan(plan) })
}

export async function requirePlan(db: OrganizationDb, asset: Pick<Asset, 'id'>): Promise<Plan> {
  const plan = await store.findPlan(db, asset)
  if (!plan) throw new Error(`Asset ${asset.id} has no plan`)
  return plan
}

export const findPlan = (db: OrganizationDb, asset: Pick<Asset, 'id'>): Promise<Plan | undefined> =>
  store.findPlan(db, asset)

/** The plan is undefined until the file has been probed. */
export async function readPlan(
  db: OrganizationDb,
  id: AssetId,
): Promise<{ readonly asset: Asset; readonly plan: Plan | undefined }> {
  const asset = await requireAsset(db, id)
  return { asset, plan: await store.findPlan(db, { id: mediaIdOf(asset) }) }
}

type FrameRange = { readonly aroundSeconds: number; readonly distanceSeconds: number }

/** The frames around a time. The plan is undefined until the file has been probed. */
export async function readFrames(
  db: OrganizationDb,
  id: AssetId,
  { aroundSeconds, distanceSeconds }: FrameRange,
): Promise<{ readonly plan: Plan | undefined; readonly frames: readonly Frame[] }> {
  const { asset, plan } = await readPlan(db, id)
  if (!plan) return { plan, frames: [] }
  const shown = asset.range ? { ...plan, frames: asset.range.endFrame - asset.range.startFrame } : plan
  const grid = { ...shown, firstFrame: asset.range?.startFrame ?? plan.firstFrame ?? 0 }
  return { plan: shown, frames: framesAround(grid, aroundSeconds, distanceSeconds) }
}

export type StoredSegment = {
  readonly key: string
  readonly seconds: number
  readonly keyframes: EncodedTrack['segments'][number]['keyframes']
}

/** Storage keys of a rendition: its init segment and its published segments, in order. */
export type StoredRendition = {
  readonly initKey: string
  readonly segments: readonly StoredSegment[]
}

export async function readStored(
  db: OrganizationDb,
  asset: Pick<Asset, 'id'>,
  name: TrackName,
): Promise<StoredRendition> {
  const parts = await store.selectParts(db, asset, name)
  const segments = parts.flatMap(({ prefix, firstSegment, segments }) =>
    segments.map(({ seconds, keyframes }, index) => ({
      key: `${prefix}${name}/${segmentName(firstSegment + index)}`,
      ...{ seconds, keyframes },
    })),
  )
  return { initKey: parts[0]?.initKey ?? '', segments }
}

/** The peaks of the audio, by part; empty for a video without audio. */
export const readPeaks = store.selectPeaks

/** Storage keys of all objects that players may request. */
export async function listMediaFiles(db: OrganizationDb, assetId: AssetId): Promise<string[]> {
  const { initKeys, parts } = await store.selectStoredObjects(db, assetId)
  const segments = parts.flatMap(({ prefix, rendition, firstSegment, count }) =>
    Array.from({ length: count }, (_, index) => `${prefix}${rendition}/${segmentName(firstSegment + index)}`),
  )
  return [...initKeys, ...segments]
}

/** Parts with different init segments cannot be played together; the video must be encoded again by one encoder. */
export class EncoderMismatch extends Error {
  override readonly name = 'EncoderMismatch'

  constructor() {
    super('The part has another init segment than earlier parts: it was made by another encoder')
  }
}

export type HashedTrack = { readonly track: EncodedTrack; readonly initHash: string }

type NewPart = {
  readonly plan: Plan
  readonly part: Part
  readonly prefix: string
  readonly tracks: readonly HashedTrack[]
}

/** Makes a part playable whose files are in storage under the prefix. */
export async function publishPart(
  tx: OrganizationDb,
  asset: Asset,
  { plan, part, prefix, tracks }: NewPart,
): Promise<void> {
  const rows = tracks.map(({ track, initHash }) => publishedTrack(part, track, initHash))
  const updated = await store.publishTracks(tx, asset, { prefix, tracks: rows })
  if (updated.length < rows.length) throw new Error(`Part ${part.number} has tracks without a row`)
  if (updated.some(({ matches }) => !matches)) throw new EncoderMismatch()
  if (asset.playableAt === null) {
    const started = await store.selectStarted(tx, asset)
    if (neededToStart(plan).every((name) => started.includes(name))) await markPlayable(tx, asset)
  }
  if (asset.versionOfId !== null) return
  const completed = updated.filter((track) => track.isVideo && isComplete(track))
  await recordEvents(tx, ...completed.map((track) => renditionCompleted(asset, track)))
}

type NewRender = {
  readonly plan: Plan
  readonly groups: readonly RenderedGroup[]
  /** Seconds that were encoded; the rest was copied. */
  readonly encodedSeconds: number
}

/** Makes the media of a rendered part playable, whose files are in storage. */
export async function publishRendered(
  tx: OrganizationDb,
  asset: Asset,
  { plan, groups, encodedSeconds }: NewRender,
): Promise<void> {
  await store.writePlan(tx, asset, { plan, renditions: renditionsOf(plan), encodedSeconds })
  for (const { prefix, tracks } of groups) {
    const updated = await store.publishTracks(tx, asset, { prefix, tracks: tracks.map(renderedTrack) })
    if (updated.length < tracks.length || updated.some(({ matches }) => !matches)) throw new EncoderMismatch()
  }
}

/** Updates the rows of a published part whose files were encoded again. */
export async function updatePart(
  tx: OrganizationDb,
  asset: Asset,
  { part, tracks }: Pick<NewPart, 'part' | 'tracks'>,
): Promise<void> {
  const rows = tracks.map(({ track, initHash }) => publishedTrack(part, track, initHash))
  const updated = await store.updateTracks(tx, asset, rows)
  if (updated.length < rows.length || updated.some(({ matches }) => !matches)) throw new EncoderMismatch()
}

/** Records the incomplete renditions as failed. The caller has locked the asset. */
export async function failRenditions(tx: OrganizationDb, asset: Asset): Promise<void> {
  if (asset.versionOfId !== null) return
  const failed = asset.renditions.filter((rendition) => !isComplete(rendition))
  await recordEvents(tx, ...failed.map((rendition) => renditionFailed(asset, rendition)))
}
