/** What is made of a video: the plan, the sizes of its picture, and the segments that can be played. */
import { type MadeTrack, type Part, type Plan, segmentName, type TrackName } from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Asset, notePlayable, requireAsset, tell } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { renditionCompleted, renditionFailed } from './renditions.events.ts'
import {
  isComplete,
  neededToBegin,
  publishedTrack,
  renditionsOf,
  tellPlan,
} from './renditions.rules.ts'
import * as store from './renditions.store.ts'

/** In place of what was planned and made before. */
export async function notePlan(tx: OrganizationDb, asset: Asset, plan: Plan): Promise<void> {
  await store.writePlan(tx, asset, plan, renditionsOf(plan))
  await tell(tx, asset, { what: 'planned', detail: tellPlan(plan) })
}

export async function requirePlan(db: OrganizationDb, asset: Pick<Asset, 'id'>): Promise<Plan> {
  const plan = await store.findPlan(db, asset)
  if (!plan) throw new Error(`Asset ${asset.id} is processed without a plan`)
  return plan
}

/** The plan is undefined until the file has been looked into. */
export async function readPlan(
  db: OrganizationDb,
  id: AssetId,
): Promise<{ readonly asset: Asset; readonly plan: Plan | undefined }> {
  const asset = await requireAsset(db, id)
  return { asset, plan: await store.findPlan(db, asset) }
}

export type StoredSegment = {
  readonly key: string
  readonly seconds: number
  readonly keyframes: MadeTrack['segments'][number]['keyframes']
}

/** Where a rendition lies in storage: what every segment of it begins with, and those that are published, in order. */
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

/** The name of every object that players may ask for, of all tracks. */
export async function listPieces(db: OrganizationDb, assetId: AssetId): Promise<string[]> {
  const { initKeys, parts } = await store.selectPlaces(db, assetId)
  const segments = parts.flatMap(({ prefix, rendition, firstSegment, count }) =>
    Array.from(
      { length: count },
      (_, index) => `${prefix}${rendition}/${segmentName(firstSegment + index)}`,
    ),
  )
  return [...initKeys, ...segments]
}

/** Parts that begin differently are no one video: it has to be made from its beginning, by one encoder. */
export class MadeByAnother extends Error {
  override readonly name = 'MadeByAnother'

  constructor() {
    super('The part does not begin as others of its tracks do: another encoder has made them')
  }
}

export type HashedTrack = { readonly made: MadeTrack; readonly initHash: string }

/** Makes a part playable whose files lie in storage under the prefix. */
export async function publishPart(
  tx: OrganizationDb,
  asset: Asset,
  { plan, part, prefix }: { readonly plan: Plan; readonly part: Part; readonly prefix: string },
  tracks: readonly HashedTrack[],
): Promise<void> {
  const rows = tracks.map(({ made, initHash }) => publishedTrack(part, made, initHash))
  const grown = await store.publishTracks(tx, asset, prefix, rows)
  if (grown.length < rows.length) throw new Error(`Part ${part.number} has tracks without a row`)
  if (grown.some(({ isAlike }) => !isAlike)) throw new MadeByAnother()
  if (asset.playableAt === null) {
    const begun = await store.selectBegun(tx, asset)
    if (neededToBegin(plan).every((name) => begun.includes(name))) await notePlayable(tx, asset)
  }
  const completed = grown.filter((track) => track.isPicture && isComplete(track))
  await recordEvents(tx, ...completed.map((track) => renditionCompleted(asset, track)))
}

/**
 * The processing has failed: those that are not complete will not become so, unless it is retried.
 * Whoever calls holds the asset.
 */
export async function failRenditions(tx: OrganizationDb, asset: Asset): Promise<void> {
  const failed = asset.renditions.filter((rendition) => !isComplete(rendition))
  await recordEvents(tx, ...failed.map((rendition) => renditionFailed(asset, rendition)))
}
