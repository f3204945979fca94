/**
 * Uploads under way while their organization is moved to another cell, whose storage is another.
 * Forms and addresses of parts that were given out go on leading to the old one: a file that comes
 * by a form is carried over, and parts are sent again, to an upload that is begun anew.
 */
import type { AssetId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { StoredObject, UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import * as store from './moving-uploads.store.ts'
import { isAcceptable, isOpen, type UploadSession } from './upload-sessions.rules.ts'
import { keyOf } from './uploads.ts'

/** Read at a time. */
const STRETCH = 500

/** A session for which a file may still arrive at the place that its caller was told. */
export type ReachableSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  readonly key: string
  readonly session: UploadSession
}

/**
 * Those that began before the move; `from` is where the organization lived then, `db` where it
 * lives now. By the youngest that is there, not by when it was held: a session that was begun while
 * the hold was being committed is younger than the hold, and its caller has a form.
 */
export async function* listReachable(
  from: OrganizationDb,
  db: OrganizationDb,
): AsyncGenerator<ReachableSession> {
  const bornUntil = await store.selectNewestReachable(from)
  if (bornUntil !== null) yield* listBornUntil(db, bornUntil)
}

async function* listBornUntil(
  db: OrganizationDb,
  bornUntil: Timestamp,
): AsyncGenerator<ReachableSession> {
  let after: UploadSessionUuid | null = null
  do {
    const sessions: readonly UploadSession[] = await store.selectReachable(db, {
      ...{ bornUntil, after },
      limit: STRETCH,
    })
    for (const session of sessions) {
      const { uuid, assetId } = session
      yield { uuid, assetId, key: keyOf(db, session), session }
    }
    after = sessions.length < STRETCH ? null : (sessions.at(-1)?.uuid ?? null)
  } while (after !== null)
}

/** The file that a look would take, if one is there. */
export const findArrived = (
  bucket: UploadsBucket,
  { key, session }: ReachableSession,
): Promise<StoredObject | undefined> =>
  bucket.findFirst(key, (stored) => isAcceptable(session, stored))

/** Begins the upload of a session in parts anew in this bucket, unless it has been. Answers whether it did. */
export async function beginPartsAnew(
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
