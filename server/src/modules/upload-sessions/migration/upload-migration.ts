/**
 * Uploads in progress while their organization is migrated to another cell with other storage. Signed
 * forms and part URLs still point to the old storage: a file sent with a form is copied over, and
 * parts are sent again to a new multipart upload.
 */
import type { AssetId, UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { StoredObject, UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { isAcceptable, isOpen, type UploadSession } from '../upload-sessions.rules.ts'
import { keyOf } from '../uploads.ts'
import * as store from './upload-migration.store.ts'

/** Sessions per query. */
const PAGE_SIZE = 500

/** A session whose file may still arrive in the old storage. */
export type ReachableSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  readonly key: string
  readonly session: UploadSession
}

/**
 * Sessions created before the migration; `from` is the old cell, `db` the new one. Compares with the
 * newest session in the old cell, not with the time of the suspension: a session created while the
 * suspension was being committed is newer than the suspension, and its client has a form.
 */
export async function* listReachable(from: OrganizationDb, db: OrganizationDb): AsyncGenerator<ReachableSession> {
  const createdUntil = await store.selectNewestReachable(from)
  if (createdUntil !== null) yield* listCreatedUntil(db, createdUntil)
}

async function* listCreatedUntil(db: OrganizationDb, createdUntil: Timestamp): AsyncGenerator<ReachableSession> {
  let after: UploadSessionUuid | null = null
  do {
    const sessions: readonly UploadSession[] = await store.selectReachable(db, {
      ...{ createdUntil, after },
      limit: PAGE_SIZE,
    })
    for (const session of sessions) {
      const { uuid, assetId } = session
      yield { uuid, assetId, key: keyOf(db, session), session }
    }
    after = sessions.length < PAGE_SIZE ? null : (sessions.at(-1)?.uuid ?? null)
  } while (after !== null)
}

/** The file that would complete the session, if it is in the bucket. */
export const findUploadedFile = (
  bucket: UploadsBucket,
  { key, session }: ReachableSession,
): Promise<StoredObject | undefined> => bucket.findFirst(key, (stored) => isAcceptable(session, stored))

/**
 * Starts the multipart upload of an open session again in this bucket, unless it exists there. Returns whether it did.
 */
export async function restartMultipart(
  bucket: UploadsBucket,
  db: OrganizationDb,
  { uuid, key, session }: ReachableSession,
): Promise<boolean> {
  const { uploadId: before } = session
  if (before === null || !isOpen(session)) return false
  if (await bucket.multipart.list({ key, uploadId: before })) return false
  const { uploadId } = await bucket.multipart.begin(key)
  await store.updateUploadId(db, { uuid, before, uploadId })
  return true
}
