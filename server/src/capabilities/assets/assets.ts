import type { assets as contract, FailureCode } from '@reelkeep/contract'
import { type AssetId, newAssetId } from '../../kernel/ids.ts'
import { needleOf, titleForSearch } from '../../kernel/search-text.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/keyset.ts'
import type { Query } from '../../platform/db/statement.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { type Folder, findFolder, isFolderUuid, keepFolder } from '../folders/folders.ts'
import { freeAssets } from './asset-deletion.ts'
import { searchAssets, selectAssets } from './asset-list.store.ts'
import * as sources from './asset-source.store.ts'
import { type StoredAsset, selectNamed, selectStored, updatePin } from './asset-storage.store.ts'
import { type StepWait, type Timeline, timelineOf } from './asset-timeline.rules.ts'
import { assetPlayable, assetUpdated, statusReached } from './assets.events.ts'
import {
  type Asset,
  type AssetPlace,
  assetNotFound,
  type Failure,
  failureOf,
  moved,
  type Probed,
  type Rendition,
  renamed,
  type Source,
  storagePrefix,
  targetFolderNotFound,
} from './assets.rules.ts'
import type { News, Pictures } from './assets.store.ts'
import * as store from './assets.store.ts'
import { findPlayableWait } from './playable-wait.store.ts'

export type {
  Asset,
  Failure,
  News,
  Pictures,
  Probed,
  Rendition,
  Source,
  StepWait,
  StoredAsset,
  Timeline,
}
export { failureOf, freeAssets, storagePrefix, targetFolderNotFound }

export type AssetWish = {
  readonly title: string
  readonly folder: string | null
  readonly resolutions: readonly contract.Resolution[]
  /** Null: as the organization has it. */
  readonly contentProtection: contract.ContentProtection | null
  readonly generateSubtitle: boolean
}

/**
 * A new asset as a query, so that what comes into being with it is written in the same round trip. It
 * answers no row when its folder does not exist; if it does, the event is to be recorded.
 */
type NewAsset = {
  readonly id: AssetId
  readonly query: Query<Asset>
  readonly event: NewEvent
}

export function newAsset(db: OrganizationDb, wish: AssetWish): NewAsset {
  const title = cleanTitle(wish.title, 'title')
  const asset = {
    id: newAssetId(),
    ...titleForSearch(db.organizationId, title),
    resolutions: wish.resolutions,
    contentProtection: wish.contentProtection,
    generateSubtitle: wish.generateSubtitle,
  }
  const { folder: folderUuid } = wish
  if (folderUuid !== null && !isFolderUuid(folderUuid)) throw targetFolderNotFound(folderUuid)
  const event = statusReached({ ...asset, folderUuid, ...untouched })
  const query =
    folderUuid === null ? store.insertAtRoot(asset) : store.insertInFolder({ ...asset, folderUuid })
  return { id: asset.id, query, event }
}

const untouched = {
  status: 'Not Started',
  durationSeconds: null,
  errorCode: null,
  errorDetail: null,
} as const

export type AssetListWish = {
  /** A folder's uuid, or `root`; undefined for everywhere. */
  readonly folder: string | undefined
  readonly isRecursive: boolean
  readonly status: contract.VideoStatus | undefined
  readonly text: string | undefined
}

export async function listAssets(
  db: OrganizationDb,
  wish: AssetListWish,
  request: PageRequest,
): Promise<RowPage<Asset> & { count: number }> {
  const filter = { place: await placeOf(db, wish), status: wish.status }
  const needle = wish.text === undefined ? undefined : needleOf(db.organizationId, wish.text)
  const { rows, count } = await (needle
    ? searchAssets(db, needle, filter, request)
    : selectAssets(db, filter, request))
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

async function placeOf(
  db: OrganizationDb,
  { folder: text, isRecursive }: AssetListWish,
): Promise<AssetPlace> {
  if (text === undefined || (text === 'root' && isRecursive)) return { kind: 'anywhere' }
  if (text === 'root') return { kind: 'root' }
  const folder = await findFolder(db, text)
  if (!folder) throw targetFolderNotFound(text)
  return { kind: isRecursive ? 'subtree' : 'folder', folder }
}

/** An asset of another organization is answered exactly like one that does not exist. */
export async function requireAsset(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return present(await store.findAsset(db, id))
}

/** Undefined if there is none, or it is another's. */
export const findAsset = (db: OrganizationDb, id: AssetId): Promise<Asset | undefined> =>
  store.findAsset(db, id)

/** The same, and nobody deletes it until the transaction ends. */
export async function keepAsset(tx: OrganizationDb, id: AssetId): Promise<Asset> {
  return present(await store.findAndKeepAsset(tx, id))
}

export async function renameAsset(
  db: OrganizationDb,
  id: AssetId,
  newTitle: string,
): Promise<Asset> {
  const title = titleForSearch(db.organizationId, cleanTitle(newTitle, 'title'))
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, id)
    if (asset.title === title.title) return asset
    const news = renamed(asset.title, title.title)
    return tellUpdated(tx, await store.updateTitle(tx, asset, title, news))
  })
}

/** Whoever needs both takes the folder before the asset, as a deletion of the folder does. */
export async function moveAsset(
  db: OrganizationDb,
  id: AssetId,
  target: string | null,
): Promise<Asset> {
  return db.transaction(async (tx) => {
    await requireAsset(tx, id)
    const folder = target === null ? null : await keepTarget(tx, target)
    const asset = await lockAsset(tx, id)
    const folderUuid = folder?.uuid ?? null
    if (asset.folderUuid === folderUuid) return asset
    return tellUpdated(tx, await store.updateFolder(tx, asset, folderUuid, moved(folder)))
  })
}

async function tellUpdated(tx: OrganizationDb, updated: Asset | undefined): Promise<Asset> {
  const asset = present(updated)
  await recordEvents(tx, assetUpdated(asset))
  return asset
}

type OfAsset = { readonly assetId: AssetId }

/** What others know of an asset's waiting: they enter assets, so they tell it by a query of theirs. */
export type Waits = {
  /** Until when its file may arrive. */
  readonly forFile: (of: OfAsset) => Query<{ until: Timestamp }>
  /** The step that its processing is at, and how that is told. */
  readonly forProcessing: (of: OfAsset) => Query<StepWait>
  readonly tellStep: (wait: StepWait) => string
}

export async function readTimeline(
  db: OrganizationDb,
  id: AssetId,
  waits: Waits,
): Promise<Timeline> {
  const [[asset], happenings, [file], [step]] = await db.run(
    store.byId({ id }),
    store.happeningsOf({ id }),
    waits.forFile({ assetId: id }),
    waits.forProcessing({ assetId: id }),
  )
  const processing = step && { detail: waits.tellStep(step), until: step.until }
  return timelineOf(present(asset), happenings, { fileUntil: file?.until, processing })
}

/** The uploaded file of an asset, if it has one; and as a query, for who asks more in the same round trip. */
export const sourceOf = sources.sourceById
export const findSource = (db: OrganizationDb, id: AssetId): Promise<Source | undefined> =>
  sources.findSource(db, id)

/**
 * For whoever looks after storage: assets with their files, behind this one, oldest first; or those
 * of these ids that there are.
 */
export const pageStored = selectStored
export const findStored = selectNamed

/** The same file, by another of storage's names for it: copied to another bucket it has one of its own. */
export const repinSource = (
  db: OrganizationDb,
  id: AssetId,
  before: Source,
  { version, etag }: Pick<Source, 'version' | 'etag'>,
): Promise<boolean> =>
  updatePin(db, { id, key: before.key, versionBefore: before.version, version, etag })

/**
 * The moment of completion, as queries, so that its processing begins in the same round trip: the
 * uploaded file is pinned and the asset, which the first of them answers, waits. Whoever runs them
 * holds the asset, and tells it then.
 */
export const sourceAccepted = (id: AssetId, source: Source, detail: string) =>
  sources.pinning(id, source, { what: 'uploaded', detail })

/**
 * The same for a file that is processed again from the beginning. What was found out about it stays
 * known, its length above all: chapters can be edited meanwhile.
 */
export const sourceKept = (id: AssetId, news: News) => sources.unmaking(id, news)

export async function tellAccepted(tx: OrganizationDb, accepted: Asset | undefined) {
  const asset = present(accepted)
  await recordEvents(tx, statusReached(asset))
  return asset
}

/** What has been found out about the file becomes visible; `detail` tells it in the timeline. */
export async function noteProbed(
  tx: OrganizationDb,
  asset: Asset,
  probed: Probed,
  detail: string,
): Promise<void> {
  await store.writeProbed(tx, asset, probed, { what: 'probed', detail })
}

/** Its beginning can be played from now on. */
export async function notePlayable(tx: OrganizationDb, asset: Asset): Promise<void> {
  if (asset.playableAt !== null) return
  await store.writePlayable(tx, asset, { what: 'playable', detail: PLAYABLE })
  await recordEvents(tx, assetPlayable(asset))
}

/** How long that took, in seconds, since its file had arrived. Undefined until it is so. */
export const playableAfter = findPlayableWait

const PLAYABLE = 'The beginning of the video can be played; the rest follows.'

export const notePictures = (tx: OrganizationDb, asset: Asset, pictures: Pictures): Promise<void> =>
  store.writePictures(tx, asset, pictures)

/** Undefined until the file has been looked into. */
export const findProbed = (db: OrganizationDb, asset: Asset): Promise<Probed | undefined> =>
  store.findProbed(db, asset)

/** Assets that failed for one of these reasons. */
export const findFailed = (
  db: OrganizationDb,
  codes: readonly FailureCode[],
  limit: number,
): Promise<AssetId[]> => store.selectFailed(db, codes, limit)

export async function failAsset(tx: OrganizationDb, id: AssetId, failure: Failure): Promise<void> {
  const failed = await store.setFailure(tx, id, failure)
  if (failed) await recordEvents(tx, statusReached(failed))
}

/** Nobody else changes or deletes it until the transaction ends. */
export async function lockAsset(tx: OrganizationDb, id: AssetId): Promise<Asset> {
  return present(await store.lockAsset(tx, id))
}

/** As `lockAsset`, for who goes on without it; and as a query, for who asks more in the same round trip. */
export const lockedAsset = store.lock

type Onward = Exclude<Asset['status'], 'Not Started' | 'Error'>

/** Whoever holds the asset has seen that its status allows it. */
export async function changeStatus(
  tx: OrganizationDb,
  asset: Asset,
  status: Onward,
  news: News,
): Promise<Asset> {
  const changed = await store.updateStatus(tx, asset, status, news)
  if (!changed) throw new Error(`An asset that is ${asset.status} does not become ${status}`)
  await recordEvents(tx, statusReached(changed))
  return changed
}

export const tell = (tx: OrganizationDb, asset: Asset, news: News): Promise<void> =>
  store.addHappening(tx, asset, news)

async function keepTarget(tx: OrganizationDb, text: string): Promise<Folder> {
  const folder = await keepFolder(tx, text)
  if (!folder) throw targetFolderNotFound(text)
  return folder
}

function present(asset: Asset | undefined): Asset {
  if (!asset) throw assetNotFound()
  return asset
}
