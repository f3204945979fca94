/**
 * Compares storage with the database by listings, which is much cheaper than reading: finds published files that are
 * missing or were replaced, files of attempts that wrote after their outputs were cleaned up, and orphans.
 */
import { storagePrefix } from '../../modules/assets/assets.ts'
import { enqueueCleanUp, keptOutputs } from '../../modules/pipeline/pipeline.ts'
import {
  listPublished,
  type PublishedFiles,
  pageOrganizations,
  readIntact,
  recordDamaged,
  type StoredFile,
} from '../../modules/published-files/published-files.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { ListedObject } from '../../platform/storage/bucket-objects.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { unlessSuspended } from '../local-organizations.ts'
import { findOrphans, isOfAsset } from '../orphans/orphans.ts'
import { listAssets } from '../stored-objects.ts'
import { DamageRecorder } from './damage-recorder.ts'
import { FailureLimit } from './failure-limit.ts'
import { isDamaged, isMd5, lostFolders } from './reconcile-media.rules.ts'

type StorageBuckets = { readonly media: MediaBucket; readonly uploads: UploadsBucket }

export type ReconcileMediaOptions = {
  readonly signal: AbortSignal
  readonly now: Date
  readonly onDamaged: (files: PublishedFiles, damaged: readonly string[]) => void
}

export type ReconciledMedia = {
  readonly assets: number
  readonly damaged: number
  /** Assets with files of lost attempts, which a job deletes. */
  readonly lostAttempts: number
  readonly orphans: number
}

const ORGANIZATIONS_PER_PAGE = 100

export async function reconcileMedia(
  database: Database,
  buckets: StorageBuckets,
  options: ReconcileMediaOptions,
): Promise<ReconciledMedia> {
  const total = { assets: 0, lostAttempts: 0 }
  const failures = new FailureLimit()
  const recorder = new DamageRecorder({
    ...{ database, media: buckets.media, signal: options.signal, onDamaged: options.onDamaged },
    record: ({ db, row: { assetId, prefix }, damaged }) => recordDamaged(db, { assetId, prefix, damaged }),
  })
  let after = ''
  do {
    const ids = await pageOrganizations(database, after, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      const db = database.forOrganization(id)
      await failures.run(() =>
        unlessSuspended(reconcileOrganization({ ...options, db, media: buckets.media, total, recorder }), undefined),
      )
    }
    after = ids.length < ORGANIZATIONS_PER_PAGE ? '' : (ids.at(-1) ?? '')
  } while (after !== '' && !options.signal.aborted)
  await recorder.end()
  failures.throwFirst()
  return { ...total, damaged: recorder.files, orphans: await countOrphans(database, buckets) }
}

type OrganizationContext = ReconcileMediaOptions & {
  readonly db: OrganizationDb
  readonly media: MediaBucket
  readonly total: { assets: number; lostAttempts: number }
  readonly recorder: DamageRecorder
}

async function reconcileOrganization(context: OrganizationContext): Promise<void> {
  const { db, media, total, signal, now } = context
  for await (const { id } of listAssets(db)) {
    if (signal.aborted) return
    // Rows first: files of a row that is published later are not missing in the listing.
    const published = await listPublished(db, id)
    const listed = await Array.fromAsync(media.objects.list(storagePrefix(db.organizationId, id)))
    const byKey = new Map(listed.map((object) => [object.key, object]))
    for (const row of published) await compare(context, row, byKey)
    total.assets += 1
    const prefix = storagePrefix(db.organizationId, id)
    const lost = lostFolders({ prefix, published, listed, now })
    // Earlier releases published files without rows in published_files.
    const kept = lost.length === 0 ? [] : await keptOutputs(db, id)
    if (lost.every((folder) => kept.includes(`${prefix}${folder}`))) continue
    total.lostAttempts += 1
    await enqueueCleanUp(db, { id })
  }
}

async function compare(
  context: OrganizationContext,
  row: PublishedFiles,
  listed: ReadonlyMap<string, ListedObject>,
): Promise<void> {
  // Viewers with an older playlist use these files, and the API verifies them.
  if (row.replacedBy !== null) return
  const damaged: string[] = []
  for (const file of row.files) {
    if (isDamaged(file, listed.get(`${row.prefix}${file.name}`)) && !(await isIntact(context, row.prefix, file)))
      damaged.push(file.name)
  }
  const isNew = damaged.some((name) => !row.damaged.includes(name))
  await context.recorder.add({ db: context.db, row, damaged: isNew ? damaged : [] }, damaged.length < row.files.length)
}

/**
 * Confirms what a listing shows: it may be out of date, and does not show whether an ETag is a hash of the content.
 */
async function isIntact({ media, signal }: OrganizationContext, prefix: string, file: StoredFile): Promise<boolean> {
  const found = await media.objects.find({ key: `${prefix}${file.name}` }, signal)
  if (found?.bytes !== file.bytes) return false
  return !isMd5(found.etag) || (await readIntact(media, prefix, file, signal)) !== undefined
}

/** Counts files without an asset. Operators delete them: after a restore, they may be all that is left of a video. */
async function countOrphans(database: Database, { media, uploads }: StorageBuckets): Promise<number> {
  const buckets = { media, uploads, [Symbol.dispose]: () => undefined }
  let orphans = 0
  for await (const orphan of findOrphans(database, buckets, () => undefined)) if (isOfAsset(orphan)) orphans += 1
  return orphans
}
