import { refused } from '../../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import { type Asset, storagePrefix } from '../assets.rules.ts'

/** Prefix of the covers that clients chose. */
export const customCoversPrefix = (organizationId: OrganizationId, assetId: AssetId) =>
  `${storagePrefix(organizationId, assetId)}covers/`

/** Storage key of a cover. `id` is unique, because the content of a URL never changes. */
export const customCoverKey = (organizationId: OrganizationId, assetId: AssetId, id: string) =>
  `${customCoversPrefix(organizationId, assetId)}${id}.jpg`

/** Storage key of an uploaded image, in the bucket of uploads. */
export const coverUploadKey = (organizationId: OrganizationId, assetId: AssetId, uploadId: string) =>
  `${storagePrefix(organizationId, assetId)}cover-uploads/${uploadId}`

/** Throws unless the video has a frame at this time. */
export function assertFrame(
  { durationSeconds, isWhole }: Pick<Asset, 'durationSeconds' | 'isWhole'>,
  atSeconds: number,
): void {
  if (durationSeconds === null || !isWhole) {
    throw refused('cover_not_available', 'The video is not encoded yet. Retry when its status is Completed.')
  }
  if (atSeconds < durationSeconds) return
  throw refused(
    'cover_outside_video',
    `The video ends at ${durationSeconds} seconds. Choose an earlier frame.`,
    'at_seconds',
  )
}

/** Returns the storage key of a generated thumbnail, by its number from 1. */
export function thumbnailKeyOf({ thumbnailKeys }: Pick<Asset, 'thumbnailKeys'>, number: number): string {
  const key = thumbnailKeys[number - 1]
  if (key !== undefined) return key
  throw refused(
    'cover_not_available',
    thumbnailKeys.length === 0
      ? 'The video has no thumbnails yet. Retry when its status is Completed.'
      : `The video has ${thumbnailKeys.length} thumbnails. Choose a number from 1 to ${thumbnailKeys.length}.`,
  )
}

export const uploadNotArrived = () =>
  refused(
    'upload_not_arrived',
    'The image has not arrived in storage, or its upload has expired. Upload it, then retry.',
  )

export const noUploads = () =>
  refused(
    'cover_not_available',
    'The storage of this service does not accept uploads of images. Choose a frame instead.',
  )

export const exactlyOne = () =>
  refused('invalid_request', 'Send exactly one of `at_seconds`, `thumbnail` and `upload_id`.', 'at_seconds')
