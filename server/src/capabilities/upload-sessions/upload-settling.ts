/**
 * The end of an upload. It is noticed three ways: storage's own notification, the sweep over open sessions,
 * and the caller's hint. Each of them only says "look", and all of them end here: storage is asked, and in
 * one transaction the session ends and its asset goes on. Looking twice, or at once, changes nothing.
 */
import type { UploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { continued } from '../../platform/observability/tracing.ts'
import type { StoredObject } from '../../platform/storage/uploads-bucket.ts'
import { type Asset, type Failure, failAsset } from '../assets/assets.ts'
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

/** The session as a look left it, and its asset if the look is what completed it. */
export type Settled = { readonly session: UploadSession; readonly asset?: Asset }

/** The session as it is afterwards; undefined if there is none. */
export async function settle(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  noticedBy: NoticedBy,
): Promise<UploadSession | undefined> {
  const before = await store.findSession(db, uuid)
  return before && (await settleKnown(uploads, db, before, noticedBy))?.session
}

/** The same for who has just read the session: an older reading only makes the look more careful. */
export async function settleKnown(
  uploads: Uploads,
  db: OrganizationDb,
  before: UploadSession,
  noticedBy: NoticedBy,
): Promise<Settled | undefined> {
  if (!mayComplete(before)) return { session: before }
  const { isOver, arrived } = await ask(uploads, db, before, noticedBy === 'hint')
  if (!isOver && !arrived) return { session: before }
  const outcome = await continued(before.traceparent, spanOf(db, before, noticedBy), () =>
    db.transaction((tx) => conclude(tx, before, arrived, noticedBy)),
  )
  const ended = outcome?.ended
  if (ended) uploads.metrics.countEnded(ended, noticedBy)
  // Storage says of parts when the first of them was sent, or when they were joined, as it likes.
  if (ended === 'Completed' && arrived?.storedAt && before.uploadId === null) {
    uploads.metrics.observeNoticed(noticedBy, (Date.now() - arrived.storedAt.getTime()) / 1000)
  }
  return outcome
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
async function ask(uploads: Uploads, db: OrganizationDb, session: UploadSession, isHint: boolean) {
  const { bucket } = uploads
  const key = keyOf(db, session)
  const find = () => bucket.findFirst(key, (stored) => isAcceptable(session, stored))
  const isOver = isOpen(session) && session.isClosed
  // Most looks find nothing, and then the cheaper question is enough. A caller who says that it is
  // there is mostly right.
  const isThere = isHint || (await bucket.exists(key))
  const found = isThere ? await find() : undefined
  if (found) return { isOver, arrived: found }
  const isJoined =
    isOpen(session) && session.isExpired && (await joinForgottenParts(uploads, db, session))
  // Before a session ends for want of a file, the cheaper question was not enough.
  return { isOver, arrived: isJoined || (isOver && !isThere) ? await find() : undefined }
}

type Outcome = Settled & { readonly ended?: Status }

/** How the session ended, if it did. `before` is what it was like when storage was asked. */
async function conclude(
  tx: OrganizationDb,
  before: UploadSession,
  arrived: StoredObject | undefined,
  noticedBy: NoticedBy,
): Promise<Outcome | undefined> {
  const session = await store.lockSession(tx, before.uuid)
  if (!session) return undefined
  const verdict = judge(session, arrived, before.isClosed)
  if (verdict.kind === 'complete' && arrived) return complete(tx, session, arrived, noticedBy)
  if (verdict.kind === 'expire') return expire(tx, session)
  return verdict.kind === 'fail' ? fail(tx, session, verdict) : { session }
}

async function complete(
  tx: OrganizationDb,
  session: store.SignableSession,
  arrived: StoredObject,
  noticedBy: NoticedBy,
): Promise<Outcome> {
  const ended = await endSession(tx, session, {
    status: 'Completed',
    ...noError,
    isToBeFreed: false,
  })
  const late = isOpen(session) ? '' : ', after its session had expired'
  const asset = await processFile(
    tx,
    session.assetId,
    arrived,
    `The file arrived, ${arrived.bytes} bytes${late}. ${wordsFor[noticedBy]}`,
  )
  return { session: ended, ended: 'Completed', asset }
}

/** Whoever wonders why it took so long reads here whether storage's notifications arrive. */
const wordsFor: Record<NoticedBy, string> = {
  notification: 'Storage told of it.',
  sweep: 'It was found by looking.',
  hint: 'The caller told of it.',
}

async function expire(tx: OrganizationDb, session: store.SignableSession): Promise<Outcome> {
  const ended = await endSession(tx, session, {
    status: 'Expired',
    ...noError,
    isToBeFreed: session.uploadId !== null,
  })
  await failAsset(tx, session.assetId, uploadExpired)
  return { session: ended, ended: 'Expired' }
}

async function fail(
  tx: OrganizationDb,
  session: store.SignableSession,
  failure: Failure,
): Promise<Outcome> {
  const { code, detail } = failure
  const ended = await endSession(tx, session, { status: 'Failed', code, detail, isToBeFreed: true })
  await failAsset(tx, session.assetId, { code, detail })
  return { session: ended, ended: 'Failed' }
}

/** Whoever calls holds the session. Answers what it is from now on. */
export async function endSession(
  tx: OrganizationDb,
  session: store.SignableSession,
  ending: store.Ending,
): Promise<UploadSession> {
  const { status, code: errorCode, detail: errorDetail } = ending
  // As the statement leaves it, whose time is that of the whole transaction.
  const ended = { ...session, status, errorCode, errorDetail, endedAt: session.now }
  await tx.send(store.ending({ uuid: session.uuid, ...ending }))
  await recordEvents(tx, sessionEnded(status, ended))
  return ended
}

const noError = { code: null, detail: null } as const
