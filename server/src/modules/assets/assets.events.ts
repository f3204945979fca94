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
>

const eventTypeOfStatus = {
  'Not Started': 'asset.created',
  Queued: 'asset.queued',
  Processing: 'asset.processing',
  Completed: 'asset.completed',
  Error: 'asset.failed',
  Cancelled: 'asset.cancelled',
} as const satisfies Record<contract.VideoStatus, string>

/** The event for a status change. The asset already has the new status. */
export const statusReached = (asset: AssetSummary): NewEvent => assetEvent(eventTypeOfStatus[asset.status], asset)

export const assetPlayable = (asset: AssetSummary): NewEvent => assetEvent('asset.playable', asset)

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
