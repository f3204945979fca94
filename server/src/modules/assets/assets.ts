import type { Proposals } from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/statement.ts'
import { recordEvents } from '../events/events.ts'
import * as sources from './asset-source.store.ts'
import {
  folderInEntry,
  type StepWait,
  type Timeline,
  type TimelineEntry,
  timelineOf,
  withoutFolderOutside,
} from './asset-timeline.rules.ts'
import {
  assetPlayable,
  assetUpdated,
  statusReached,
  type VersionSummary,
  versionActivated,
  versionDeleted,
} from './assets.events.ts'
import {
  type Asset,
  assetNotFound,
  coverKeyOf,
  drmNotConfigured,
  type Failure,
  failureOf,
  mediaIdOf,
  type Probed,
  playbackPath,
  type Rendition,
  type Source,
  storagePrefix,
  targetFolderNotFound,
  versionFolder,
} from './assets.rules.ts'
import type { AssetImages, NewTimelineEntry } from './assets.store.ts'
import * as store from './assets.store.ts'
import { itemError } from './bulk/asset-batches.rules.ts'
import {
  type AssetEdit,
  changeAssets,
  deleteAssets,
  type ItemError,
  purgeAssets,
  restoreAssets,
} from './bulk/asset-batches.ts'
import { overSelected, type Selection } from './bulk/asset-selection.store.ts'
import { newSelection, previewSelection, type SelectionInput } from './bulk/asset-selection.ts'
import { versionOf } from './changes/asset-changes.rules.ts'
import { selectFolders } from './changes/asset-changes.store.ts'
import { tagKeyOf } from './changes/asset-tags.rules.ts'
import { activateVersionJob, deleteOldVersionsJob, enqueueActivation } from './changes/version-activation.ts'
import { customCoverKey, customCoversPrefix } from './cover/asset-cover.rules.ts'
import {
  type CoverFrame,
  type CoverRequest,
  type CoverUploadInput,
  deleteCoverObject,
  deleteCoverUpload,
  failCover,
  publishCover,
  renderCoverFrame,
  renderCoverUpload,
  requestCoverFrame,
} from './cover/asset-cover.ts'
import { type AssetInput, assertInserted, newAsset } from './creation/asset-creation.ts'
import {
  deleteAsset,
  type FormLifetime,
  lockBeforeDeletion,
  purgeAssetsDue,
  restoreAsset,
} from './deletion/asset-deletion.ts'
import { deleteAddedObjects, deleteAssetObjects, enqueueStorageDeletion } from './deletion/asset-objects.ts'
import { lockClipped } from './deletion/asset-purge.ts'
import {
  type StoredAsset,
  selectStored,
  selectStoredByIds,
  updateSourceVersion,
} from './deletion/asset-storage.store.ts'
import type { AssetQuery } from './list/asset-list.ts'
import { findFailed } from './progress/failed-assets.store.ts'
import { findTimeToPlayable } from './progress/time-to-playable.store.ts'
import { finishRender } from './range/finish-render.ts'
import { captionsName, captionsPath, type TimelineName, timelinePaths } from './range/range-paths.rules.ts'
import {
  durationOf,
  type FrameGrid,
  type Frames,
  framesBetween,
  leadSeconds,
  listedSeconds,
  mediaSeconds,
  type ShownRange,
  secondsOf,
  segmentsOf,
  trimmedSeconds,
  wholeDurationOf,
} from './range/shown-range.rules.ts'
import { shownRange } from './range/shown-range.store.ts'

export type {
  Asset,
  AssetEdit,
  AssetImages,
  AssetInput,
  AssetQuery,
  CoverFrame,
  CoverRequest,
  CoverUploadInput,
  Failure,
  FormLifetime,
  FrameGrid,
  Frames,
  ItemError,
  NewTimelineEntry,
  Probed,
  Rendition,
  Selection,
  SelectionInput,
  ShownRange,
  Source,
  StepWait,
  StoredAsset,
  Timeline,
  TimelineName,
  VersionSummary,
}
export {
  activateVersionJob,
  assertInserted,
  assetNotFound,
  assetUpdated,
  captionsName,
  captionsPath,
  changeAssets,
  coverKeyOf,
  customCoverKey,
  customCoversPrefix,
  deleteAddedObjects,
  deleteAsset,
  deleteAssetObjects,
  deleteAssets,
  deleteCoverObject,
  deleteCoverUpload,
  deleteOldVersionsJob,
  drmNotConfigured,
  durationOf,
  enqueueStorageDeletion,
  failCover,
  failureOf,
  findFailed,
  finishRender,
  framesBetween,
  itemError,
  leadSeconds,
  listedSeconds,
  lockBeforeDeletion,
  lockClipped,
  mediaIdOf,
  mediaSeconds,
  newAsset,
  newSelection,
  overSelected,
  playbackPath,
  previewSelection,
  publishCover,
  purgeAssets,
  purgeAssetsDue,
  renderCoverFrame,
  renderCoverUpload,
  requestCoverFrame,
  restoreAsset,
  restoreAssets,
  secondsOf,
  segmentsOf,
  shownRange,
  statusReached,
  storagePrefix,
  targetFolderNotFound,
  timelinePaths,
  trimmedSeconds,
  versionActivated,
  versionDeleted,
  versionFolder,
  versionOf,
  wholeDurationOf,
}

/** An asset of another organization gives the same error as one that does not exist. */
export async function requireAsset(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return foundOrThrow(await store.findAsset(db, id))
}

export const findAsset = (db: OrganizationDb, id: AssetId): Promise<Asset | undefined> => store.findAsset(db, id)

/** The assets with these ids, in any order. Unknown ids are skipped. */
export const findAssets = (db: OrganizationDb, ids: readonly AssetId[]): Promise<Asset[]> => store.selectByIds(db, ids)

/** Like `requireAsset`, but also blocks the deletion of the asset until the transaction ends. */
export async function shareLockAsset(tx: OrganizationDb, id: AssetId): Promise<Asset> {
  return foundOrThrow(await store.findAssetForKeyShare(tx, id))
}

type OfAsset = { readonly assetId: AssetId }

/**
 * Queries of other modules for the deadlines of an asset. Those modules depend on assets, so `main` passes the queries
 * in.
 */
export type WaitQueries = {
  /** Deadline for the upload of the file. */
  readonly forFile: (of: OfAsset) => Query<{ until: Timestamp }>
  /** The current pipeline step, and its description. */
  readonly forProcessing: (of: OfAsset) => Query<StepWait>
  readonly describeStep: (wait: StepWait) => string
}

export async function readTimeline(db: OrganizationDb, id: AssetId, waits: WaitQueries): Promise<Timeline> {
  const [[asset], entries, [file], [step]] = await db.run(
    store.byId({ id }),
    store.timelineEntriesOf({ id }),
    waits.forFile({ assetId: id }),
    waits.forProcessing({ assetId: id }),
  )
  const processing = step && { detail: waits.describeStep(step), until: step.until }
  const visible = db.limits ? await withoutOutside(db, entries) : entries
  return timelineOf(foundOrThrow(asset), visible, { fileUntil: file?.until, processing })
}

/** Hides the titles of folders outside the limits that the asset was moved to before. */
async function withoutOutside(db: OrganizationDb, entries: readonly TimelineEntry[]): Promise<TimelineEntry[]> {
  const folders = await selectFolders(
    db,
    entries.flatMap((entry) => folderInEntry(entry) ?? []),
  )
  return entries.map((entry) => withoutFolderOutside(entry, folders))
}

/** The uploaded file of an asset, as a query and as a function. */
export const sourceOf = sources.sourceById
export const findSource = (db: OrganizationDb, id: AssetId): Promise<Source | undefined> => sources.findSource(db, id)

/** The uploaded file of the version that the asset shows. The row of a version is hidden like the trash. */
export const findShownSource = (db: OrganizationDb, asset: Asset): Promise<Source | undefined> =>
  db.withTrash((all) => sources.findSource(all, mediaIdOf(asset)))

/** Lists assets with their files, by page or by id, for storage maintenance. */
export const pageStored = selectStored
export const findStored = selectStoredByIds

/** Updates the version and ETag of the source after it was copied to another bucket. */
export const relinkSource = (
  db: OrganizationDb,
  id: AssetId,
  before: Source,
  { version, etag }: Pick<Source, 'version' | 'etag'>,
): Promise<boolean> => updateSourceVersion(db, { id, key: before.key, versionBefore: before.version, version, etag })

/**
 * Queries that link the uploaded file to the asset and queue it; the first one returns the asset. The caller has locked
 * the asset and calls `recordAccepted` afterwards.
 */
export const acceptSourceQueries = (id: AssetId, source: Source, detail: string) =>
  sources.acceptSourceQueries(id, source, { what: 'uploaded', detail })

/** Queries that queue an asset to process its file again. The probe result is kept, so chapters can be edited. */
export const reprocessQueries = (id: AssetId, entry: NewTimelineEntry) => sources.resetProcessingQueries(id, entry)

export async function recordAccepted(tx: OrganizationDb, accepted: Asset | undefined) {
  const asset = foundOrThrow(accepted)
  await recordEvents(tx, ...statusReached(asset))
  return asset
}

/** Saves the probe result; `detail` is the text of the timeline entry. */
export async function saveProbed(tx: OrganizationDb, asset: Asset, probed: Probed, detail: string): Promise<void> {
  await store.writeProbed(tx, asset, probed, { what: 'probed', detail })
}

/** Marks the beginning of the video as playable. */
export async function markPlayable(tx: OrganizationDb, asset: Asset): Promise<void> {
  if (asset.playableAt !== null) return
  await store.writePlayable(tx, asset, { what: 'playable', detail: PLAYABLE })
  await recordEvents(tx, ...assetPlayable(asset))
}

/** Seconds from the upload until the beginning was playable. Undefined if it is not playable yet. */
export const timeToPlayable = findTimeToPlayable

const PLAYABLE = 'Ready to play from the beginning. Processing continues.'

export const saveImages = (tx: OrganizationDb, asset: Asset, images: AssetImages): Promise<void> =>
  store.writeImages(tx, asset, images)

/** Records an event for each asset whose URLs have changed. Versions have no events of their own. */
export async function recordUrlsChanged(tx: OrganizationDb, ids: readonly AssetId[]): Promise<void> {
  const assets = ids.length === 0 ? [] : await store.selectByIds(tx, ids)
  await recordEvents(tx, ...assets.filter(({ versionOfId }) => versionOfId === null).map(assetUpdated))
}

/** Starts of chapters that were found in the shown version; null for a version of an older release. */
export const findProposals = (db: OrganizationDb, { id }: Asset): Promise<Proposals | null> =>
  store.findProposals(db, id)

export const findProbed = (db: OrganizationDb, asset: Asset): Promise<Probed | undefined> => store.findProbed(db, asset)

export async function failAsset(tx: OrganizationDb, id: AssetId, failure: Failure): Promise<void> {
  const failed = await store.setFailure(tx, id, { ...failure, status: 'Error' })
  if (failed) await recordEvents(tx, ...statusReached(failed))
}

/** The upload ended without a file. Lists hide the asset, and the sweep of upload sessions deletes it later. */
export async function cancelUpload(tx: OrganizationDb, id: AssetId, reason: Failure): Promise<void> {
  const cancelled = await store.setFailure(tx, id, { ...reason, status: 'Cancelled' })
  if (cancelled) await recordEvents(tx, ...statusReached(cancelled))
}

/** Locks the asset against changes and deletion until the transaction ends. */
export async function lockAsset(tx: OrganizationDb, id: AssetId): Promise<Asset> {
  return foundOrThrow(await store.lockAsset(tx, id))
}

/** The forms of tags that are compared, each once. */
export const tagKeysOf = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tagKeyOf(tag.trim().normalize('NFC')))),
]

/** Like `lockAsset`, but as a query, which returns no row if the asset does not exist. */
export const lockAssetQuery = store.byIdForUpdate

type NextStatus = Exclude<Asset['status'], 'Not Started' | 'Error'>

/** The caller has locked the asset and checked that its status allows the change. */
export async function changeStatus(
  tx: OrganizationDb,
  asset: Asset,
  status: NextStatus,
  entry: NewTimelineEntry,
): Promise<Asset> {
  const changed = await store.updateStatus(tx, asset, status, entry)
  if (!changed) throw new Error(`Cannot change the status of an asset from ${asset.status} to ${status}`)
  await recordEvents(tx, ...statusReached(changed))
  if (status === 'Completed') await enqueueActivation(tx, changed)
  return changed
}

export const recordTimeline = (tx: OrganizationDb, asset: Asset, entry: NewTimelineEntry): Promise<void> =>
  store.writeTimelineEntry(tx, asset, entry)

function foundOrThrow(asset: Asset | undefined): Asset {
  if (!asset) throw assetNotFound()
  return asset
}
