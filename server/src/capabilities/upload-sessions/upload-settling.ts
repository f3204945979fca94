/**
 * The end of an upload. It is noticed three ways: storage's own notification, the sweep over open sessions,
 * and the caller's hint. Each of them only says "look", and all of them end here: storage is asked, and in
 * one transaction the session ends and its asset goes on. Looking twice, or at once, changes nothing.
 */
import type { UploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { continued } from '../../platform/observability/tracing.ts'
import type { StoredObject } from '../../platform/storage/uploads-bucket.ts'
import { type Failure, failAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { processFile } from '../pipeline/pipeline.ts'
import type { NoticedBy } from './upload-metrics.ts'
import { joinForgottenParts } from './upload-parts.ts'
import { sessionEnded } from './upload-sessions.events.ts'
import {
  isAcceptable,
  isOpen,
  judge,
  mayComplete,
  type Status,
  type UploadSession,
  uploadExpired,
} from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** The session as it is afterwards; undefined if there is none. */
export async function settle(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  noticedBy: NoticedBy,
): Promise<UploadSession | undefined> {
  const before = await store.findSession(db, uuid)
  if (!before || !mayComplete(before)) return before
  // A caller who says that it is there deserves the thorough answer.
  const { isOver, arrived } = await ask(uploads, db, before, noticedBy === 'hint')
  if (!isOver && !arrived) return before
  const ended = await continued(before.traceparent, spanOf(db, before, noticedBy), () =>
    db.transaction((tx) => conclude(tx, before, arrived, noticedBy)),
  )
  if (ended) uploads.metrics.countEnded(ended, noticedBy)
  // Storage says of parts when the first of them was sent, or when they were joined, as it likes.
  if (ended === 'Completed' && arrived?.storedAt && before.uploadId === null) {
    uploads.metrics.observeNoticed(noticedBy, (Date.now() - arrived.storedAt.getTime()) / 1000)
  }
  return store.findSession(db, uuid)
}

/** It goes on with the trace of who created the session, whoever noticed. */
const spanOf = (
  { organizationId }: OrganizationDb,
  { assetId }: UploadSession,
  noticedBy: NoticedBy,
) => ({
  name: 'settle upload',
  facts: { organization_id: organizationId, asset_id: assetId, noticed_by: noticedBy },
})

/** Asks storage what has arrived. `isOver` says that if it is nothing, nothing will. */
async function ask(
  uploads: Uploads,
  db: OrganizationDb,
  session: UploadSession,
  isThorough: boolean,
) {
  const { bucket } = uploads
  const key = keyOf(db, session)
  const isOver = isOpen(session) && session.isClosed
  const isThere =
    (await bucket.exists(key)) ||
    (isOpen(session) && session.isExpired && (await joinForgottenParts(uploads, db, session)))
  // Most looks find nothing, and then the cheaper question was enough, unless the answer is to end the session.
  const arrived =
    isThere || isOver || isThorough
      ? await bucket.findFirst(key, (stored) => isAcceptable(session, stored))
      : undefined
  return { isOver, arrived }
}

/** Answers how the session ended, if it did. `before` is what it was like when storage was asked. */
async function conclude(
  tx: OrganizationDb,
  before: UploadSession,
  arrived: StoredObject | undefined,
  noticedBy: NoticedBy,
): Promise<Status | undefined> {
  const session = await store.lockSession(tx, before.uuid)
  if (!session) return undefined
  const verdict = judge(session, arrived, before.isClosed)
  if (verdict.kind === 'complete' && arrived) return complete(tx, session, arrived, noticedBy)
  if (verdict.kind === 'expire') return expire(tx, session)
  return verdict.kind === 'fail' ? fail(tx, session, verdict) : undefined
}

async function complete(
  tx: OrganizationDb,
  session: UploadSession,
  arrived: StoredObject,
  noticedBy: NoticedBy,
): Promise<Status> {
  await endSession(tx, session.uuid, { status: 'Completed', ...noError, isToBeFreed: false })
  const late = isOpen(session) ? '' : ', after its session had expired'
  await processFile(
    tx,
    session.assetId,
    arrived,
    `The file arrived, ${arrived.bytes} bytes${late}. ${wordsFor[noticedBy]}`,
  )
  return 'Completed'
}

/** Whoever wonders why it took so long reads here whether storage's notifications arrive. */
const wordsFor: Record<NoticedBy, string> = {
  notification: 'Storage told of it.',
  sweep: 'It was found by looking.',
  hint: 'The caller told of it.',
}

async function expire(tx: OrganizationDb, session: UploadSession): Promise<Status> {
  await endSession(tx, session.uuid, {
    status: 'Expired',
    ...noError,
    isToBeFreed: session.uploadId !== null,
  })
  await failAsset(tx, session.assetId, uploadExpired)
  return 'Expired'
}

async function fail(tx: OrganizationDb, session: UploadSession, failure: Failure): Promise<Status> {
  const { code, detail } = failure
  await endSession(tx, session.uuid, { status: 'Failed', code, detail, isToBeFreed: true })
  await failAsset(tx, session.assetId, { code, detail })
  return 'Failed'
}

/** Whoever calls holds the session. */
export async function endSession(
  tx: OrganizationDb,
  uuid: UploadSessionUuid,
  ending: store.Ending,
): Promise<void> {
  const ended = await store.endSession(tx, uuid, ending)
  if (ended) await recordEvents(tx, sessionEnded(ending.status, ended))
}

const noError = { code: null, detail: null } as const
