/**
 * Finalization of uploads. It is triggered by storage's notification, by the sweep over open sessions, or by the
 * client's `complete/`. All three check storage and, in one transaction, end the session and queue its asset.
 * Repeated and concurrent calls are harmless.
 */
import type { UploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { continueTrace } from '../../platform/observability/tracing.ts'
import type { StoredObject } from '../../platform/storage/uploads-bucket.ts'
import { type Asset, cancelUpload, type Failure, failAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { processFile } from '../pipeline/pipeline.ts'
import { joinUnreportedParts } from './parts/upload-parts.ts'
import { checkNow } from './sweep/upload-sweep.store.ts'
import type { DetectedBy } from './upload-metrics.ts'
import { sessionEnded } from './upload-sessions.events.ts'
import {
  decide,
  isAcceptable,
  isOpen,
  mayComplete,
  type Status,
  type UploadSession,
  uploadExpired,
} from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** The session after the check, and its asset if this check completed the session. */
export type Finalized = { readonly session: UploadSession; readonly asset?: Asset }

/** Returns the session after the check; undefined if it does not exist. */
export async function finalize(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  detectedBy: DetectedBy,
): Promise<UploadSession | undefined> {
  const before = await store.findSession(db, uuid)
  return before && (await finalizeSession(uploads, db, before, detectedBy))?.session
}

/** Finalizes the session after storage has received a file. If the session has ended, the next sweep deletes it. */
export async function acceptFile(uploads: Uploads, db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  const before = await store.findSession(db, uuid)
  if (!before) return
  if (mayComplete(before)) await finalizeSession(uploads, db, before, 'notification')
  else await checkNow(db, uuid)
}

/** Like `finalize`, for a session that was just read. A stale session is safe: it is read again under a lock. */
export async function finalizeSession(
  uploads: Uploads,
  db: OrganizationDb,
  before: UploadSession,
  detectedBy: DetectedBy,
): Promise<Finalized | undefined> {
  if (!mayComplete(before)) return { session: before }
  const { isOver, file } = await findFile(uploads, db, before, detectedBy === 'client')
  if (!isOver && !file) return { session: before }
  const outcome = await continueTrace(before.traceparent, spanOf(db, before, detectedBy), () =>
    inTransaction(db, before, (tx) => endInTransaction(tx, before, file, detectedBy)),
  )
  const ended = outcome?.ended
  if (ended) uploads.metrics.countEnded(ended, detectedBy)
  // The meaning of a multipart upload's modification time differs between storage services.
  if (ended === 'Completed' && file?.storedAt && before.uploadId === null) {
    uploads.metrics.observeDetected(detectedBy, (Date.now() - file.storedAt.getTime()) / 1000)
  }
  return outcome
}

/** Runs `work` in a transaction that sees the row of the session's version, which requests do not see. */
export const inTransaction = <Result>(
  db: OrganizationDb,
  { versionOfId }: UploadSession,
  work: (tx: OrganizationDb) => Promise<Result>,
): Promise<Result> => db.transaction((tx) => (versionOfId === null ? work(tx) : tx.withTrash(work)))

/** Continues the trace of the request that created the session. */
const spanOf = ({ organizationId }: OrganizationDb, { assetId }: UploadSession, detectedBy: DetectedBy) => ({
  name: 'finalize upload',
  attributes: { organization_id: organizationId, asset_id: assetId, detected_by: detectedBy },
})

/** Looks for the file in storage. `isOver`: if there is none now, none will arrive. */
async function findFile(uploads: Uploads, db: OrganizationDb, session: UploadSession, isHint: boolean) {
  const { bucket } = uploads
  const key = keyOf(db, session)
  const find = () => bucket.findFirst(key, (stored) => isAcceptable(session, stored))
  const isOver = isOpen(session) && session.isClosed
  // Most checks find nothing, so test for the object before listing its versions. After `complete/` it usually exists.
  const mayExist = isHint || (await bucket.exists(key))
  const found = mayExist ? await find() : undefined
  if (found) return { isOver, file: found }
  const isJoined = isOpen(session) && session.isExpired && (await joinUnreportedParts(uploads, db, session))
  // Before a session expires, list the versions as well: `exists` also returns false if the bucket is missing.
  return { isOver, file: isJoined || (isOver && !mayExist) ? await find() : undefined }
}

type Outcome = Finalized & { readonly ended?: Status }

/** Ends the session if the check allows it. `before` is the session as read before the check. */
async function endInTransaction(
  tx: OrganizationDb,
  before: UploadSession,
  file: StoredObject | undefined,
  detectedBy: DetectedBy,
): Promise<Outcome | undefined> {
  const session = await store.lockSession(tx, before.uuid)
  if (!session) return undefined
  const decision = decide(session, file, before.isClosed)
  if (decision.kind === 'complete' && file) return complete(tx, session, file, detectedBy)
  if (decision.kind === 'expire') return expire(tx, session)
  return decision.kind === 'fail' ? fail(tx, session, decision) : { session }
}

async function complete(
  tx: OrganizationDb,
  session: store.SignableSession,
  file: StoredObject,
  detectedBy: DetectedBy,
): Promise<Outcome> {
  const ended = await endSession(tx, session, {
    status: 'Completed',
    ...noError,
    hasLeftovers: false,
  })
  const late = isOpen(session) ? '' : ' after the upload session had expired'
  const asset = await processFile(tx, session.assetId, {
    source: file,
    detail: `File received${late} (${file.bytes.toLocaleString('en-US')} bytes). Detected by: ${detectionTexts[detectedBy]}.`,
  })
  // Clients see the asset, not its version.
  return { session: ended, ended: 'Completed', ...(session.versionOfId === null && { asset }) }
}

/** The first words are stable: the CLI's `doctor` reads them to find out whether storage's notifications arrive. */
const detectionTexts: Record<DetectedBy, string> = {
  notification: 'notification from storage',
  sweep: 'polling of storage',
  client: 'client request',
}

async function expire(tx: OrganizationDb, session: store.SignableSession): Promise<Outcome> {
  const ended = await endSession(tx, session, {
    status: 'Expired',
    ...noError,
    hasLeftovers: session.uploadId !== null,
  })
  await cancelUpload(tx, session.assetId, uploadExpired)
  return { session: ended, ended: 'Expired' }
}

async function fail(tx: OrganizationDb, session: store.SignableSession, failure: Failure): Promise<Outcome> {
  const { code, detail } = failure
  const ended = await endSession(tx, session, {
    status: 'Failed',
    code,
    detail,
    hasLeftovers: true,
  })
  await failAsset(tx, session.assetId, { code, detail })
  return { session: ended, ended: 'Failed' }
}

/** The caller has locked the session. Returns the ended session. */
export async function endSession(
  tx: OrganizationDb,
  session: store.SignableSession,
  end: store.SessionEnd,
): Promise<UploadSession> {
  const { status, code: errorCode, detail: errorDetail } = end
  // `session.now` is the time that the statement writes: now() is constant within a transaction.
  const ended = { ...session, status, errorCode, errorDetail, endedAt: session.now }
  await tx.send(store.endSessionQuery({ uuid: session.uuid, ...end }))
  await recordEvents(tx, sessionEnded(status, ended))
  return ended
}

const noError = { code: null, detail: null } as const
