/**
 * The sweep checks storage for every session that is due, independent of notifications. It completes or expires open
 * sessions, deletes what was uploaded to ended ones, and some days later deletes the assets of those without a file.
 */
import pMap from 'p-map'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { legalHoldError } from '../../../platform/db/legal-holds.ts'
import { isSuspended } from '../../../platform/db/suspension.ts'
import { isStorageUnavailable } from '../../../platform/storage/availability.ts'
import { deleteAsset, findSource, lockAssetQuery, lockBeforeDeletion } from '../../assets/assets.ts'
import { deleteAbandonedVersion } from '../../versions/versions.ts'
import { finalize } from '../upload-finalization.ts'
import { formLifetimeMax, isOpen, mayComplete, type UploadSession } from '../upload-sessions.rules.ts'
import { lockSession } from '../upload-sessions.store.ts'
import { keyOf, type Uploads } from '../uploads.ts'
import * as store from './upload-sweep.store.ts'

/** Sessions per query. */
const BATCH = 200
const CONCURRENT_CHECKS = 8
/** Maximum number of queries per sweep. The next sweep continues with the remaining sessions. */
const BATCHES_MAX = 50

/** After this many consecutive checks that found storage unavailable, the sweep stops. */
const UNAVAILABLE_IN_A_ROW_MAX = CONCURRENT_CHECKS

/** Counts of one sweep, for the log. */
export type Swept = { readonly checks: number; readonly failures: number }

type OnFailure = (error: unknown, session: store.DueSession) => void
type CheckOutcome = 'ok' | 'failed' | 'storage_unavailable'

export async function sweep(
  uploads: Uploads,
  database: Database,
  signal: AbortSignal,
  onFailure: OnFailure,
): Promise<Swept> {
  const outcomes: CheckOutcome[] = []
  const isStorageDown = () =>
    outcomes.length >= UNAVAILABLE_IN_A_ROW_MAX &&
    outcomes.slice(-UNAVAILABLE_IN_A_ROW_MAX).every((outcome) => outcome === 'storage_unavailable')
  const isOver = () => signal.aborted || isStorageDown()
  for (let batch = 0; batch < BATCHES_MAX && !isOver(); batch++) {
    const due = await store.selectDue(database, BATCH)
    const check = async (session: store.DueSession) => {
      if (isOver()) return
      const outcome = await checkSafely(uploads, database, session, onFailure)
      uploads.metrics.countCheck(outcome)
      outcomes.push(outcome)
    }
    await pMap(due, check, { concurrency: CONCURRENT_CHECKS })
    if (due.length < BATCH) break
  }
  return {
    checks: outcomes.length,
    failures: outcomes.filter((outcome) => outcome !== 'ok').length,
  }
}

/**
 * Never throws: a session that cannot be claimed must not end the sweep, which would leave all later ones unchecked. It
 * stays due. Sessions of a suspended organization are due again after the suspension.
 */
async function checkSafely(...given: Parameters<typeof claimAndCheck>): Promise<CheckOutcome> {
  try {
    return await claimAndCheck(...given)
  } catch (error) {
    if (isSuspended(error)) return 'ok'
    const [, , due, onFailure] = given
    onFailure(error, due)
    return 'failed'
  }
}

async function claimAndCheck(
  uploads: Uploads,
  database: Database,
  due: store.DueSession,
  onFailure: OnFailure,
): Promise<CheckOutcome> {
  const db = database.forOrganization(due.organizationId)
  const session = await store.claimDue(db, due.uuid, uploads.limits)
  if (!session) return 'ok'
  try {
    await check(uploads, db, session)
    return 'ok'
  } catch (error) {
    if (isSuspended(error)) throw error
    // An abandoned asset on legal hold is checked again later.
    if (legalHoldError(error)) return 'ok'
    onFailure(error, due)
    await store.checkAgainSoon(db, due.uuid)
    return isStorageUnavailable(error) ? 'storage_unavailable' : 'failed'
  }
}

async function check(uploads: Uploads, db: OrganizationDb, session: store.ClaimedSession): Promise<void> {
  await (mayComplete(session) ? finalizeOrAbort(uploads, db, session) : deleteLeftovers(uploads, db, session))
  if (session.isAbandoned) await deleteAbandoned(uploads, db, session)
}

async function finalizeOrAbort(uploads: Uploads, db: OrganizationDb, { uuid }: UploadSession): Promise<void> {
  const finalized = await finalize(uploads, db, uuid, 'sweep')
  if (finalized?.status === 'Expired') await abortParts(uploads, db, finalized)
}

/** Deletes the asset, and the session with it, unless a file was found or the asset already has one. */
async function deleteAbandoned(
  { limits }: Uploads,
  db: OrganizationDb,
  { uuid, assetId, versionOfId }: UploadSession,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockBeforeDeletion(tx)
    // The asset before its version, in the same order as the deletion of the asset, to avoid deadlocks.
    if (versionOfId !== null) await tx.run(lockAssetQuery({ id: versionOfId }))
    const session = await lockSession(tx, uuid)
    if (!session || isOpen(session) || (await findSource(tx, assetId))) return
    const settings = { formSecondsMax: formLifetimeMax(limits) }
    if (versionOfId === null) await deleteAsset(settings, tx, { id: assetId, isPermanent: true })
    else await deleteAbandonedVersion(settings, tx, { assetId: versionOfId, mediaId: assetId })
  })
}

/** Deletes only the parts of an expired session: it may still be completed by a late object. */
async function abortParts({ bucket }: Uploads, db: OrganizationDb, session: UploadSession) {
  const { uploadId } = session
  if (uploadId !== null) await bucket.multipart.abort({ key: keyOf(db, session), uploadId })
}

/** Deletes all objects of an ended session but the accepted version. */
async function deleteLeftovers({ bucket, limits }: Uploads, db: OrganizationDb, session: store.ClaimedSession) {
  const accepted = session.status === 'Completed' ? await findSource(db, session.assetId) : undefined
  if (session.status === 'Completed' && !accepted) return
  const next = { isFinal: session.isClosed, checkSecondsMax: limits.checkSecondsMax, claimedAt: session.nextCheckAt }
  // A restore stores the file again, as another version, before it links the asset to it: nothing may be deleted then.
  if (accepted && !(await bucket.hasVersion(accepted))) return store.rescheduleCleaned(db, session.uuid, next)
  // If there are too many objects to delete at once, the next check continues.
  if (!(await bucket.deleteAll(keyOf(db, session), accepted))) return
  await store.rescheduleCleaned(db, session.uuid, next)
}
