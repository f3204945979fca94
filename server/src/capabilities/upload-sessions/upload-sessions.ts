import { newUploadSessionUuid, type UploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/keyset.ts'
import { isStorageAway } from '../../platform/storage/availability.ts'
import type { SignedForm } from '../../platform/storage/post-form.ts'
import {
  type Asset,
  type AssetWish,
  failAsset,
  newAsset,
  requireAsset,
  targetFolderNotFound,
} from '../assets/assets.ts'
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
import { endSession, settle } from './upload-settling.ts'
import * as sweepStore from './upload-sweep.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

export type { UploadSession, Uploads }
export { formLifeMax }

/** When the wait for an asset's file ends, as a query. */
export const fileDeadline = store.closingOf

/** For how long the session that is longest due has not been looked at; to be asked as a worker. */
export const overdueSeconds = sweepStore.overdueSeconds

/** An open session with all that its caller needs to upload. */
export type OpenedSession = {
  readonly asset: Asset
  readonly session: UploadSession
  readonly form: SignedForm
}

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
  const [[asset], [session]] = await db.run(
    query,
    store.insertForAsset({ uuid, assetId, bytesMax, ...limits }),
    store.recordingIfThere({ uuid }, sessionCreated({ uuid, assetId }), event),
  )
  if (!asset || !session) throw targetFolderNotFound(String(wish.folder))
  return { asset, session, form: await sign(uploads, db, session) }
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
  return { asset, session, form: await sign(uploads, db, session) }
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
    return { asset, session, form: await sign(uploads, tx, session) }
  })
}

/** What has arrived is freed by the sweep, not here: storage may be away. */
export async function cancelSession(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await lockOpen(tx, uuid)
    await endSession(tx, uuid, {
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
): Promise<UploadSession> {
  const before = await requireSession(db, uuid)
  const fault = isOpen(before) ? await faultOf(joinArrivedParts(uploads, db, before)) : undefined
  // Asking again would only wait once more.
  if (isStorageAway(fault)) throw fault
  const session = await settle(uploads, db, uuid, 'hint')
  if (!session) throw sessionNotFound()
  // Somebody else may have joined them meanwhile; then there is nothing to complain about.
  if (isOpen(session)) throw fault ?? notArrived(session)
  if (session.status === 'Failed') throw sessionFailed(session)
  if (session.status !== 'Completed') throw sessionClosed(session)
  return session
}

const faultOf = (work: Promise<void>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error)

async function lockOpen(tx: OrganizationDb, uuid: UploadSessionUuid): Promise<UploadSession> {
  const session = await store.lockSession(tx, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  return session
}

function sign({ bucket, limits }: Uploads, db: OrganizationDb, session: store.SignableSession) {
  return bucket.signForm({
    key: keyOf(db, session),
    // A session for a larger file is for parts; its form takes what any form takes.
    bytesMax: Math.min(session.bytesMax, limits.formBytesMax),
    signedAt: session.now,
    expiresAt: session.expiresAt,
  })
}
