/**
 * Output files of steps in storage. Every attempt writes under its own prefix, which contains its fence. The
 * fence in the row of a completed step decides which prefix is visible; all others are leftovers of lost attempts,
 * except files that callers added themselves.
 */
import type { ByteRange } from '@reelkeep/media'
import pMap from 'p-map'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { MediaBucket, PutResult } from '../../platform/storage/media-bucket.ts'
import { type Asset, customCoversPrefix, findAsset, storagePrefix } from '../assets/assets.ts'
import { forgetReplaced, publishedPrefixes, type StoredFile } from '../published-files/published-files.ts'
import { uploadedTracksPrefix } from '../subtitles/subtitles.ts'
import { type Fence, isProcessing, isUnrendered } from './pipeline.rules.ts'
import { selectOwnedOutputs } from './pipeline.store.ts'

export type Outputs = {
  readonly prefix: string
  put(name: string, body: Uint8Array | string, type: string): Promise<void>
}

/** Number of files whose presence in storage is verified concurrently. */
const VERIFIED_AT_ONCE = 8

export type AttemptOutputs = Outputs & {
  /**
   * Returns the stored files. Throws if storage has lost or changed one of them: then none may be published. The
   * requests are short and ignore the abort of the attempt, because its fence decides whether it may publish.
   */
  verified(): Promise<readonly StoredFile[]>
}

export function openOutputs(bucket: MediaBucket, prefix: string, signal: AbortSignal): AttemptOutputs {
  const files = new Map<string, PutResult>()
  return {
    prefix,
    put: async (name, body, type) => {
      files.set(name, await bucket.put({ key: `${prefix}${name}`, body, type }, signal))
    },
    verified: () =>
      pMap(
        files,
        async ([name, stored]) => {
          await bucket.verify(`${prefix}${name}`, stored)
          return { name, ...stored }
        },
        { concurrency: VERIFIED_AT_ONCE },
      ),
  }
}

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
  { step, token, nonce }: Fence & { readonly step: string },
) => `${storagePrefix(organizationId, assetId)}${step}-${token}-${nonce}/`

/** Delay of the cleanup: an attempt that lost its step may keep writing until it detects the loss. */
const CLEAN_UP_AFTER_SECONDS = 3600

export const cleanUpOutputs = defineJob<{ readonly assetId: AssetId }>({
  name: 'tidy-outputs',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 300 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

/** `keptSeconds`: for how much longer files are kept that were replaced now. */
export const enqueueCleanUp = (
  tx: OrganizationDb,
  { id: assetId }: Pick<Asset, 'id'>,
  keptSeconds = 0,
): Promise<void> =>
  enqueueJob(tx, cleanUpOutputs, { input: { assetId }, delaySeconds: CLEAN_UP_AFTER_SECONDS + keptSeconds })

/** Prefixes of the files that are visible or may become visible. */
export async function keptOutputs(db: OrganizationDb, assetId: AssetId): Promise<string[]> {
  return [
    ...(await selectOwnedOutputs(db, assetId)).flatMap((step) => [
      attemptPrefix(db, assetId, step),
      // Attempts of releases without nonces.
      `${storagePrefix(db.organizationId, assetId)}${step.step}-${step.token}/`,
    ]),
    ...(await publishedPrefixes(db, assetId)),
    uploadedTracksPrefix(db.organizationId, assetId),
    customCoversPrefix(db.organizationId, assetId),
  ]
}

/** Deletes the output files of lost attempts. Idempotent. */
export async function deleteLostOutputs(
  bucket: MediaBucket,
  db: OrganizationDb,
  { assetId, signal }: { readonly assetId: AssetId; readonly signal: AbortSignal },
): Promise<void> {
  const found = await Array.fromAsync(bucket.objects.prefixes(storagePrefix(db.organizationId, assetId)))
  await forgetReplaced(db, assetId)
  // Query the attempts after the listing, so that the listing has no files of attempts that started since.
  const asset = await db.withTrash((all) => findAsset(all, assetId))
  // No row refers to the files of a part before it is rendered. The end of the rendering enqueues another cleanup.
  if (asset && isUnrendered(asset) && isProcessing(asset)) return
  const kept = await keptOutputs(db, assetId)
  for (const prefix of found.filter((prefix) => !kept.includes(prefix))) {
    do signal.throwIfAborted()
    while (!(await bucket.deleteAll(prefix)))
  }
}
