/** What assets tell. */
import type { assets as contract } from '@reelkeep/contract'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import { type Asset, failureOf } from './assets.rules.ts'

/** As much of an asset as is told of it. */
export type ToldAsset = Pick<
  Asset,
  'id' | 'title' | 'folderUuid' | 'status' | 'durationSeconds' | 'errorCode' | 'errorDetail'
>

const ofStatus = {
  'Not Started': 'asset.created',
  Queued: 'asset.queued',
  Processing: 'asset.processing',
  Completed: 'asset.completed',
  Error: 'asset.failed',
  Cancelled: 'asset.cancelled',
} as const satisfies Record<contract.VideoStatus, string>

/** It has its status from now on. */
export const statusReached = (asset: ToldAsset): NewEvent => told(ofStatus[asset.status], asset)

export const assetPlayable = (asset: ToldAsset): NewEvent => told('asset.playable', asset)

/** It has another title, or lies elsewhere. */
export const assetUpdated = (asset: ToldAsset): NewEvent => told('asset.updated', asset)

export const assetDeleted = (asset: ToldAsset): NewEvent => told('asset.deleted', asset)

type Kind =
  | (typeof ofStatus)[contract.VideoStatus]
  | 'asset.playable'
  | 'asset.updated'
  | 'asset.deleted'

const told = (type: Kind, asset: ToldAsset): NewEvent =>
  aboutAsset(asset.id, {
    type,
    data: {
      id: asset.id,
      title: asset.title,
      parent_id: asset.folderUuid,
      status: asset.status,
      duration: asset.durationSeconds,
      error: failureOf(asset),
    },
  })
