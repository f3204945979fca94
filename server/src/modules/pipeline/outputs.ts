/**
 * Output files of steps in storage. Every attempt writes under its own prefix, which contains its fence number. The
 * fence in the row of a completed step decides which prefix is visible; all others are leftovers of lost attempts,
 * except files that callers added themselves.
 */
import type { ByteRange } from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { type Asset, customCoversPrefix, storagePrefix } from '../assets/assets.ts'
import { uploadedTracksPrefix } from '../subtitles/subtitles.ts'
import { selectOwnedOutputs } from './pipeline.store.ts'

export type Outputs = {
  readonly prefix: string
  put(name: string, body: Uint8Array | string, type: string): Promise<void>
}

export const openOutputs = (bucket: MediaBucket, prefix: string, signal: AbortSignal): Outputs => ({
  prefix,
  put: (name, body, type) => bucket.put({ key: `${prefix}${name}`, body, type }, signal),
})

/** Limit for reading one output file; a segment is a few seconds of video. */
const STORED_BYTES_MAX = 64 * 2 ** 20

export type StoredOutputs = {
  /** Reads an output file or a range of it. */
  read(key: string, range?: ByteRange): Promise<Buffer>
}

export const openStored = (bucket: MediaBucket, signal: AbortSignal): StoredOutputs => ({
  read: (key, range) => bucket.read(key, { range, bytesMax: STORED_BYTES_MAX }, signal),
})

export const attemptPrefix = (
  { organizationId }: OrganizationDb,
  assetId: AssetId,
  { step, token }: { readonly step: string; readonly token: number },
) => `${storagePrefix(organizationId, assetId)}${step}-${token}/`

/** Delay of the cleanup: an attempt that lost its step may keep writing until it detects the loss. */
const CLEAN_UP_AFTER_SECONDS = 3600

export const cleanUpOutputs = defineJob<{ readonly assetId: AssetId }>({
  name: 'tidy-outputs',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 300 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

export const enqueueCleanUp = (tx: OrganizationDb, { id: assetId }: Asset): Promise<void> =>
  enqueueJob(tx, cleanUpOutputs, { input: { assetId }, delaySeconds: CLEAN_UP_AFTER_SECONDS })

/** Deletes the output files of lost attempts. Idempotent. */
export async function deleteLostOutputs(
  bucket: MediaBucket,
  db: OrganizationDb,
  { assetId, signal }: { readonly assetId: AssetId; readonly signal: AbortSignal },
): Promise<void> {
  const found = await Array.fromAsync(bucket.objects.prefixes(storagePrefix(db.organizationId, assetId)))
  // Query the attempts after the listing, so that the listing has no files of attempts that started since.
  const kept = [
    ...(await selectOwnedOutputs(db, assetId)).map((step) => attemptPrefix(db, assetId, step)),
    uploadedTracksPrefix(db.organizationId, assetId),
    customCoversPrefix(db.organizationId, assetId),
  ]
  for (const prefix of found.filter((prefix) => !kept.includes(prefix))) {
    do signal.throwIfAborted()
    while (!(await bucket.deleteAll(prefix)))
  }
}
