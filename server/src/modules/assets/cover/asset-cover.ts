/**
 * The cover of an asset that the client chose. A frame is rendered by a job of the pipeline; a thumbnail is copied,
 * because processing the file again deletes the thumbnails. The id of the latest request is stored with the asset, and
 * the result of any other request is discarded.
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { defineJob } from '../../../platform/jobs/job.ts'
import type { MediaBucket, PutResult } from '../../../platform/storage/media-bucket.ts'
import type { SignedForm } from '../../../platform/storage/post-form.ts'
import type { UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { recordEvents } from '../../events/events.ts'
import { recordAdded, removePublished } from '../../published-files/published-files.ts'
import { assetUpdated } from '../assets.events.ts'
import { type Asset, assetNotFound, type Source } from '../assets.rules.ts'
import { findAsset, lockAsset, type NewTimelineEntry } from '../assets.store.ts'
import {
  assertFrame,
  coverUploadKey,
  customCoverKey,
  noUploads,
  thumbnailKeyOf,
  uploadNotArrived,
} from './asset-cover.rules.ts'
import * as store from './asset-cover.store.ts'

export type CoverFrame = { readonly assetId: AssetId; readonly request: string; readonly atSeconds: number }

const about = ({ assetId }: { readonly assetId: AssetId }) => ({ asset_id: assetId })

/** Renders a frame as the cover; the pipeline has its handler. */
export const renderCoverFrame = defineJob<CoverFrame>({
  name: 'cover-frame',
  queue: 'extras',
  retry: { maxAttempts: 5, firstBackoffSeconds: 2, attemptTimeoutSeconds: 600 },
  about,
})

export type CoverUploadInput = { readonly assetId: AssetId; readonly request: string; readonly image: Source }

/** Encodes an uploaded image as the cover; the pipeline has its handler. */
export const renderCoverUpload = defineJob<CoverUploadInput>({
  name: 'cover-upload',
  queue: 'extras',
  retry: { maxAttempts: 5, firstBackoffSeconds: 2, attemptTimeoutSeconds: 600 },
  about,
})

/** Deletes an uploaded image from the bucket of uploads, whether it became the cover or not. */
export const deleteCoverUpload = defineJob<{ readonly assetId: AssetId; readonly key: string }>({
  name: 'free-cover-upload',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  about,
})

/** Deletes a former cover from storage. */
export const deleteCoverObject = defineJob<{ readonly assetId: AssetId; readonly key: string }>({
  name: 'free-cover',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  about,
})

export async function requestCoverFrame(db: OrganizationDb, id: AssetId, atSeconds: number): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = found(await lockAsset(tx, id))
    assertFrame(asset, atSeconds)
    const request = crypto.randomUUID()
    await enqueueJob(tx, renderCoverFrame, { input: { assetId: id, request, atSeconds } })
    return found(await store.writeRequest(tx, asset, request))
  })
}

/** How long the form of an image can be used. */
const FORM_SECONDS = 3600
/** When an uploaded image is deleted: the form has expired, the transfer has ended, and the cover was set. */
const UPLOAD_SECONDS = 6 * 3600

export type CoverForm = { readonly id: string; readonly expiresAt: Date; readonly form: SignedForm }

/** Signs a form for an image, and enqueues the deletion of what is posted with it. */
export async function createCoverUpload(
  { bucket, supportsForms }: { readonly bucket: UploadsBucket; readonly supportsForms: boolean },
  db: OrganizationDb,
  assetId: AssetId,
  bytesMax: number,
): Promise<CoverForm> {
  if (!supportsForms) throw noUploads()
  const id = crypto.randomUUID()
  const key = coverUploadKey(db.organizationId, assetId, id)
  await db.transaction(async (tx) => {
    found(await lockAsset(tx, assetId))
    await enqueueJob(tx, deleteCoverUpload, { input: { assetId, key }, delaySeconds: UPLOAD_SECONDS })
  })
  const now = Date.now()
  const expiresAt = new Date(now + FORM_SECONDS * 1000)
  const timestamp = (time: Date) => time.toISOString() as Timestamp
  const options = { key, bytesMax, signedAt: timestamp(new Date(now)), expiresAt: timestamp(expiresAt) }
  return { id, expiresAt, form: await bucket.signForm(options) }
}

/** Finds an uploaded image. */
export async function requireCoverUpload(
  bucket: UploadsBucket,
  db: OrganizationDb,
  assetId: AssetId,
  uploadId: string,
): Promise<Source> {
  found(await findAsset(db, assetId))
  const image = await bucket.findFirst(coverUploadKey(db.organizationId, assetId, uploadId), () => true)
  if (!image) throw uploadNotArrived()
  const { key, version, etag, bytes } = image
  return { key, version, etag, bytes }
}

export async function requestCoverUpload(db: OrganizationDb, id: AssetId, image: Source): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = found(await lockAsset(tx, id))
    const request = crypto.randomUUID()
    await enqueueJob(tx, renderCoverUpload, { input: { assetId: id, request, image } })
    return found(await store.writeRequest(tx, asset, request))
  })
}

/** The image of a cover in storage. */
export type StoredCover = PutResult & { readonly key: string }

/** Maximum size of a thumbnail. */
const THUMBNAIL_BYTES_MAX = 2 ** 22

/** Copies a generated thumbnail. `setCoverImage` makes it the cover. */
export async function copyThumbnail(
  media: MediaBucket,
  db: OrganizationDb,
  id: AssetId,
  number: number,
): Promise<StoredCover> {
  const from = thumbnailKeyOf(found(await findAsset(db, id)), number)
  const { signal } = new AbortController()
  const body = await media.read(from, { range: undefined, bytesMax: THUMBNAIL_BYTES_MAX }, signal)
  const key = customCoverKey(db.organizationId, id, crypto.randomUUID())
  return { key, ...(await media.putVerified({ key, body, type: 'image/jpeg' })) }
}

export async function setCoverImage(
  db: OrganizationDb,
  id: AssetId,
  cover: StoredCover,
  number: number,
): Promise<Asset> {
  return db.transaction(async (tx) => {
    const asset = found(await lockAsset(tx, id))
    return replaceCover(tx, asset, cover, { what: 'cover_changed', detail: `The cover is thumbnail ${number}.` })
  })
}

/** A request for a cover. */
export type CoverRequest = Pick<CoverFrame, 'assetId' | 'request'>

/** Publishes a rendered cover. Returns false if it is no longer wanted. */
export async function publishCover(
  db: OrganizationDb,
  { assetId, request }: CoverRequest,
  { cover, detail }: { readonly cover: StoredCover; readonly detail: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    if (asset?.coverRequest !== request) return false
    await replaceCover(tx, asset, cover, { what: 'cover_changed', detail })
    return true
  })
}

/** Ends a request whose cover could not be rendered. The cover stays as it is. */
export async function failCover(db: OrganizationDb, { assetId, request }: CoverRequest, detail: string): Promise<void> {
  await db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    if (asset?.coverRequest !== request) return
    await store.writeCover(tx, asset, asset.customCoverKey, { what: 'cover_failed', detail })
  })
}

/** Returns to the generated cover. */
export async function resetCover(db: OrganizationDb, id: AssetId): Promise<void> {
  await db.transaction(async (tx) => {
    const asset = found(await lockAsset(tx, id))
    if (asset.customCoverKey === null) await store.writeRequest(tx, asset, null)
    else
      await replaceCover(tx, asset, null, { what: 'cover_changed', detail: 'The cover is chosen automatically again.' })
  })
}

async function replaceCover(
  tx: OrganizationDb,
  asset: Asset,
  cover: StoredCover | null,
  entry: NewTimelineEntry,
): Promise<Asset> {
  const { id: assetId, customCoverKey: before } = asset
  const updated = found(await store.writeCover(tx, asset, cover?.key ?? null, entry))
  if (before !== null) {
    await removePublished(tx, assetId, before)
    await enqueueJob(tx, deleteCoverObject, { input: { assetId, key: before } })
  }
  if (cover) await recordAdded(tx, assetId, cover)
  await recordEvents(tx, assetUpdated(updated))
  return updated
}

function found(asset: Asset | undefined): Asset {
  if (!asset) throw assetNotFound()
  return asset
}
