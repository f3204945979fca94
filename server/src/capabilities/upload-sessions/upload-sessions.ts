import { newUploadSessionUuid, type UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/keyset.ts'
import { traceparentHere } from '../../platform/observability/tracing.ts'
import { isStorageAway } from '../../platform/storage/availability.ts'
import type { SignedForm } from '../../platform/storage/post-form.ts'
import {
  type Asset,
  type AssetWish,
  failAsset,
  findAsset,
  newAsset,
  requireAsset,
  targetFolderNotFound,
} from '../assets/assets.ts'
import {
  beginPartsAnew,
  findArrived,
  listReachable,
  type ReachableSession,
} from './moving-uploads.ts'
import { joinArrivedParts } from './upload-parts.ts'
import { selectSessions } from './upload-session-list.store.ts'
import { sessionCreated } from './upload-sessions.events.ts'
import {
  bytesMaxFor,
  drmNotConfigured,
  formLifeMax,
  isOpen,
  notArrived,
  type Status,
  sessionClosed,
  sessionFailed,
  sessionNotFound,
  sessionTooOld,
  type UploadSession,
  uploadCancelled,
} from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { endSession, type Settled, settleKnown } from './upload-settling.ts'
import * as sweepStore from './upload-sweep.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

export type { ReachableSession, UploadSession, Uploads }
export { beginPartsAnew, findArrived, formLifeMax, listReachable }

/** When the wait for an asset's file ends, as a query. */
export const fileDeadline = store.closingOf

/** For how long the session that is longest due has not been looked at; to be asked as a worker. */
export const overdueSeconds = sweepStore.overdueSeconds

/** An open session with all that its caller needs to upload. */
export type OpenedSession = {
  readonly asset: Asset
  readonly session: UploadSession
  readonly form: SignedForm
  /** The form is good for nothing: storage takes none. */
  readonly isInPartsOnly: boolean
}

/**
 * When a form expired that nobody is to use. Every answer has a form, as the specification says;
 * where storage takes none, it must be of no use elsewhere either, for a bucket without versions
 * would let it replace a file.
 */
const LONG_AGO = '1970-01-01T00:00:00.000000Z' as Timestamp

type SessionWish = AssetWish & { readonly fileBytes: number | undefined }

export async function createSession(
  uploads: Uploads,
  db: OrganizationDb,
  wish: SessionWish,
): Promise<OpenedSession> {
  if (uploads.takesDrm) return create(uploads, db, wish)
  // How a video is protected may be the organization's setting, which is known with the row.
  return db.transaction(async (tx) => {
    const opened = await create(uploads, tx, wish)
    if (opened.asset.contentProtection === 'drm') throw drmNotConfigured()
    return opened
  })
}

async function create(uploads: Uploads, db: OrganizationDb, wish: SessionWish) {
  const { limits } = uploads
  const bytesMax = bytesMaxFor(wish.fileBytes, limits)
  const { id: assetId, query, event } = newAsset(db, wish)
  const uuid = newUploadSessionUuid()
  const traceparent = traceparentHere() ?? null
  const [[asset], [session]] = await db.run(
    query,
    store.insertForAsset({ uuid, assetId, bytesMax, traceparent, ...limits }),
    store.recordingIfThere({ uuid }, sessionCreated({ uuid, assetId }), event),
  )
  if (!asset || !session) throw targetFolderNotFound(String(wish.folder))
  return open(uploads, db, asset, session)
}

/** The form of a session that is still open, signed anew; undefined when it is no longer of use. */
export async function reopenSession(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<OpenedSession | undefined> {
  const session = await store.findSession(db, uuid)
  if (!session || !isOpen(session) || session.isExpired) return undefined
  const asset = await requireAsset(db, session.assetId)
  return open(uploads, db, asset, session)
}

export async function requireSession(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<store.SignableSession> {
  const session = await store.findSession(db, uuid)
  if (!session) throw sessionNotFound()
  return session
}

export async function listSessions(
  db: OrganizationDb,
  status: Status | undefined,
  request: PageRequest,
): Promise<RowPage<UploadSession> & { count: number }> {
  const { rows, count } = await selectSessions(db, status, request)
  return { ...toRowPage(rows, request, ({ uuid }) => [uuid]), count }
}

export async function renewSession(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<OpenedSession> {
  return db.transaction(async (tx) => {
    if ((await lockOpen(tx, uuid)).isOld) throw sessionTooOld()
    const session = await store.extendSession(tx, uuid, uploads.limits)
    if (!session) throw sessionNotFound()
    const asset = await requireAsset(tx, session.assetId)
    return open(uploads, tx, asset, session)
  })
}

/**
 * What has arrived is freed by the sweep, not here: storage may be away. Who cancels once more
 * because the answer was lost is told the same as before.
 */
export async function cancelSession(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await store.lockSession(tx, uuid)
    if (!session) throw sessionNotFound()
    if (session.status === 'Cancelled') return
    if (!isOpen(session)) throw sessionClosed(session)
    await endSession(tx, session, {
      status: 'Cancelled',
      code: null,
      detail: null,
      isToBeFreed: true,
    })
    await failAsset(tx, session.assetId, uploadCancelled)
  })
}

/** The caller says that the file is there. */
export async function completeSession(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<Required<Settled>> {
  const before = await requireSession(db, uuid)
  const fault = isOpen(before) ? await faultOf(joinArrivedParts(uploads, db, before)) : undefined
  // Asking again would only wait once more.
  if (isStorageAway(fault)) throw fault
  const settled = await settleKnown(uploads, db, before, 'hint')
  if (!settled) throw sessionNotFound()
  const { session } = settled
  // Somebody else may have joined them meanwhile; then there is nothing to complain about.
  if (isOpen(session)) throw fault ?? notArrived(session, uploads)
  if (session.status === 'Failed') throw sessionFailed(session)
  if (session.status !== 'Completed') throw sessionClosed(session)
  const asset = settled.asset ?? (await findAsset(db, session.assetId))
  // They are deleted together.
  if (!asset) throw sessionNotFound()
  return { session, asset }
}

const faultOf = (work: Promise<void>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error)

async function lockOpen(tx: OrganizationDb, uuid: UploadSessionUuid): Promise<UploadSession> {
  const session = await store.lockSession(tx, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  return session
}

async function open(
  { bucket, limits, takesForms }: Uploads,
  db: OrganizationDb,
  asset: Asset,
  session: store.SignableSession,
): Promise<OpenedSession> {
  const form = await bucket.signForm({
    key: keyOf(db, session),
    // A session for a larger file is for parts; its form takes what any form takes.
    bytesMax: Math.min(session.bytesMax, limits.formBytesMax),
    signedAt: session.now,
    expiresAt: takesForms ? session.expiresAt : LONG_AGO,
  })
  return { asset, session, form, isInPartsOnly: !takesForms }
}
