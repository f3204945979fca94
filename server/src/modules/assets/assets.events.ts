/** Events about assets. */
import type { assets as contract } from '@reelkeep/contract'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import { type Asset, failureOf } from './assets.rules.ts'

/** The fields of an asset that its events contain. */
export type AssetSummary = Pick<
  Asset,
  | 'id'
  | 'title'
  | 'folderUuid'
  | 'externalId'
  | 'metadata'
  | 'status'
  | 'durationSeconds'
  | 'errorCode'
  | 'errorDetail'
  | 'purgeAt'
  | 'versionOfId'
  | 'version'
>

const eventTypeOfStatus = {
  'Not Started': 'asset.created',
  Queued: 'asset.queued',
  Processing: 'asset.processing',
  Completed: 'asset.completed',
  Error: 'asset.failed',
  Cancelled: 'asset.cancelled',
} as const satisfies Record<contract.VideoStatus, string>

/** The events for a status change. The asset already has the new status. */
export const statusReached = (asset: AssetSummary): NewEvent[] =>
  asset.versionOfId === null
    ? [assetEvent(eventTypeOfStatus[asset.status], asset)]
    : versionStatusReached(asset.versionOfId, asset)

/** A version of an asset has no events of its own about being playable: it is shown when it is complete. */
export const assetPlayable = (asset: AssetSummary): NewEvent[] =>
  asset.versionOfId === null ? [assetEvent('asset.playable', asset)] : []

const versionTypeOfStatus = {
  'Not Started': 'version.created',
  Queued: undefined,
  Processing: undefined,
  Completed: 'version.completed',
  Error: 'version.failed',
  Cancelled: 'version.failed',
} as const satisfies Record<contract.VideoStatus, string | undefined>

/** The fields of a version that its events contain. */
export type VersionSummary = Pick<Asset, 'version' | 'status' | 'errorCode' | 'errorDetail'>

function versionStatusReached(assetId: Asset['id'], version: VersionSummary): NewEvent[] {
  const type = versionTypeOfStatus[version.status]
  return type === undefined ? [] : [versionEvent(type, assetId, version)]
}

/** The asset shows another version. */
export const versionActivated = (assetId: Asset['id'], version: VersionSummary): NewEvent =>
  versionEvent('version.activated', assetId, version)

export const versionDeleted = (assetId: Asset['id'], version: VersionSummary): NewEvent =>
  versionEvent('version.deleted', assetId, version)

type VersionEventType = `version.${'created' | 'completed' | 'failed' | 'activated' | 'deleted'}`

const versionEvent = (type: VersionEventType, assetId: Asset['id'], version: VersionSummary): NewEvent =>
  aboutAsset(assetId, {
    type,
    data: { asset_id: assetId, number: version.version, status: version.status, error: failureOf(version) },
  })

/** A field of the asset was changed, or the asset was moved. */
export const assetUpdated = (asset: AssetSummary): NewEvent => assetEvent('asset.updated', asset)

/** The asset was moved to the trash, or purged without having been in the trash. */
export const assetDeleted = (asset: AssetSummary): NewEvent => assetEvent('asset.deleted', asset)

export const assetRestored = (asset: AssetSummary): NewEvent => assetEvent('asset.restored', asset)

/** The asset was removed from the trash. */
export const assetPurged = (asset: AssetSummary): NewEvent => assetEvent('asset.purged', asset)

type AssetEventType =
  | (typeof eventTypeOfStatus)[contract.VideoStatus]
  | 'asset.playable'
  | 'asset.updated'
  | 'asset.deleted'
  | 'asset.restored'
  | 'asset.purged'

const assetEvent = (type: AssetEventType, asset: AssetSummary): NewEvent =>
  aboutAsset(asset.id, {
    type,
    data: {
      id: asset.id,
      title: asset.title,
      parent_id: asset.folderUuid,
      status: asset.status,
      duration: asset.durationSeconds,
      error: failureOf(asset),
      purge_at: asset.purgeAt,
      external_id: asset.externalId,
      metadata: asset.metadata,
    },
  })
