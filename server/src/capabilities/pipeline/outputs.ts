/**
 * What steps make, in storage. Every attempt writes under a prefix of its own, which bears its
 * token. Of a step that is done, the token of its row tells which prefix is visible; all others are
 * what lost attempts left behind, but for what callers added themselves.
 */
import type { ByteRange } from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import { promiseJob } from '../../platform/jobs/promise.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { type Asset, storagePrefix } from '../assets/assets.ts'
import { uploadedTracksPrefix } from '../subtitles/subtitles.ts'
import { selectKept } from './pipeline.store.ts'

export type Outputs = {
  readonly prefix: string
  put(name: string, body: Uint8Array | string, type: string): Promise<void>
}

export const openOutputs = (bucket: MediaBucket, prefix: string, signal: AbortSignal): Outputs => ({
  prefix,
  put: (name, body, type) => bucket.put({ key: `${prefix}${name}`, body, type }, signal),
})

/** What steps have made; a segment is a few seconds of video. */
const STORED_BYTES_MAX = 64 * 2 ** 20

export type StoredOutputs = {
  /** All of it, or the part of it that is named. */
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

/** An attempt that lost its step may go on writing for a while before it finds out. */
const TIDY_AFTER_SECONDS = 3600

export const tidyOutputs = defineJob<{ readonly assetId: AssetId }>({
  name: 'tidy-outputs',
  queue: 'light',
  attemptsMax: 12,
  firstPauseSeconds: 5,
  attemptSecondsMax: 300,
  about: ({ assetId }) => ({ asset_id: assetId }),
})

export const promiseTidying = (tx: OrganizationDb, { id: assetId }: Asset): Promise<void> =>
  promiseJob(tx, tidyOutputs, { assetId }, { delaySeconds: TIDY_AFTER_SECONDS })

/** Frees what lost attempts left. Twice is once. */
export async function freeLostOutputs(
  bucket: MediaBucket,
  db: OrganizationDb,
  assetId: AssetId,
  signal: AbortSignal,
): Promise<void> {
  const found = await Array.fromAsync(bucket.prefixes(storagePrefix(db.organizationId, assetId)))
  // Read after the list: what began since then is not on it.
  const kept = [
    ...(await selectKept(db, assetId)).map((step) => attemptPrefix(db, assetId, step)),
    uploadedTracksPrefix(db.organizationId, assetId),
  ]
  for (const prefix of found.filter((one) => !kept.includes(one))) {
    do signal.throwIfAborted()
    while (!(await bucket.free(prefix)))
  }
}
