import { newUploadSessionUuid, type TokenId, type UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { currentTraceparent } from '../../platform/observability/tracing.ts'
import { isStorageUnavailable } from '../../platform/storage/availability.ts'
import type { SignedForm } from '../../platform/storage/post-form.ts'
import {
  type Asset,
  type AssetInput,
  assertInserted,
  cancelUpload,
  drmNotConfigured,
  findAsset,
  newAsset,
  requireAsset,
} from '../assets/assets.ts'
import { earlierExpiry } from '../grants/grants.ts'
import { assertRoomForUpload, lockQuotas, recordReachedLevels } from '../quotas/quotas.ts'
import { type NewUploadToken, newUploadToken } from '../tokens/tokens.ts'
import {
  findUploadedFile,
  listReachable,
  type ReachableSession,
  restartMultipart,
} from './migration/upload-migration.ts'
import { joinArrivedParts } from './parts/upload-parts.ts'
import * as sweepStore from './sweep/upload-sweep.store.ts'
import { endSession, type Finalized, finalizeSession, inTransaction } from './upload-finalization.ts'
import { selectSessions } from './upload-session-list.store.ts'
import { sessionCreated } from './upload-sessions.events.ts'
import {
  bytesMaxFor,
  type ChosenLimits,
  formLifetimeMax,
  isOpen,
  lifetimeFor,
  notArrived,
  type Status,
  sessionClosed,
  sessionFailed,
  sessionNotFound,
  sessionTooOld,
  shownAssetId,
  type UploadSession,
  uploadCancelled,
} from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

export type { ReachableSession, UploadSession, Uploads }
export { findUploadedFile, formLifetimeMax, listReachable, restartMultipart }

/** Query for the upload deadline of an asset's file. */
export const fileDeadline = store.closesAtOf

/** Seconds since the most overdue session was due. Requires the worker role. */
export const overdueSeconds = sweepStore.overdueSeconds

/** An open session with everything that the client needs to upload. */
export type OpenedSession = {
  readonly asset: Asset
  readonly session: UploadSession
  readonly form: SignedForm
  /** Storage does not support forms, or not for a file of this size; the form in the response cannot be used. */
  readonly isInPartsOnly: boolean
  /** Text of the session's new upload token. */
  readonly uploadToken?: string | undefined
}

/**
 * Expiry of forms where storage does not support them. The specification requires a form in every
 * response; a valid one could replace a file in a bucket without versions.
 */
const ALREADY_EXPIRED = '1970-01-01T00:00:00.000000Z' as Timestamp

/** The API token that asks for a form. The form expires with it at the latest. */
type Uploader = { readonly tokenExpiresAt: Timestamp | null }

/** The choices for a session, and the token that creates it. */
export type SessionOptions = Uploader &
  ChosenLimits & {
    readonly tokenId: TokenId
    /** Whether to create an upload token for the session. */
    readonly hasUploadToken: boolean
    /** The operator has limited the organization. */
    readonly hasQuotas: boolean
  }

type SessionInput = AssetInput & SessionOptions

type SessionRef = Uploader & { readonly uuid: UploadSessionUuid }

export async function createSession(uploads: Uploads, db: OrganizationDb, input: SessionInput): Promise<OpenedSession> {
  const bytesMax = bytesMaxFor(input, uploads.limits)
  if (uploads.hasDrm && !input.hasQuotas && !input.hasUploadToken) return create(uploads, db, { ...input, bytesMax })
  return db.transaction(async (tx) => {
    const uploadToken = input.hasUploadToken ? await newUploadToken(tx, input.tokenId) : undefined
    const bytesLeft = input.hasQuotas ? assertRoomForUpload(await lockQuotas(tx), input.fileBytes) : bytesMax
    const opened = await create(uploads, tx, { ...input, bytesMax: Math.min(bytesMax, bytesLeft), uploadToken })
    // The protection may come from the organization's default, which is known after the insert.
    if (!uploads.hasDrm && opened.asset.contentProtection === 'drm') throw drmNotConfigured()
    if (input.hasQuotas) await recordReachedLevels(tx)
    return opened
  })
}

type NewSession = SessionInput & { readonly bytesMax: number; readonly uploadToken?: NewUploadToken | undefined }

async function create(uploads: Uploads, db: OrganizationDb, input: NewSession): Promise<OpenedSession> {
  const { limits } = uploads
  const { bytesMax, uploadToken } = input
  const chosenLifetimeSeconds = lifetimeFor(input.lifetimeSeconds, limits)
  const uuid = newUploadSessionUuid()
  const { id: assetId, query, events } = newAsset(db, input, { createdBy: input.tokenId, uploadSessionUuid: uuid })
  const traceparent = currentTraceparent() ?? null
  const [[inserted], [session]] = await db.run(
    query,
    store.insertForAsset({
      ...{ uuid, assetId, bytesMax, chosenLifetimeSeconds, traceparent, ...limits },
      uploadTokenHash: uploadToken?.hash ?? null,
      uploadTokenGrantedBy: uploadToken?.grantedBy ?? null,
    }),
    store.recordingIfInserted({ uuid }, sessionCreated({ uuid, assetId, versionOfId: null }), ...events),
  )
  const asset = await assertInserted(db, inserted, input)
  if (!session) throw new Error('The session of a new asset was not inserted')
  const opened = await open(uploads, db, { asset, session, ...input })
  return { ...opened, uploadToken: uploadToken?.text }
}

/** Signs the form of an open session again; undefined if the session is ended or expired. */
export async function reopenSession(
  uploads: Uploads,
  db: OrganizationDb,
  { uuid, tokenExpiresAt }: SessionRef,
): Promise<OpenedSession | undefined> {
  const session = await store.findSession(db, uuid)
  if (!session || !isOpen(session) || session.isExpired) return undefined
  const asset = await requireAsset(db, shownAssetId(session))
  return open(uploads, db, { asset, session, tokenExpiresAt })
}

export async function requireSession(db: OrganizationDb, uuid: UploadSessionUuid): Promise<store.SignableSession> {
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
  { uuid, tokenExpiresAt }: SessionRef,
): Promise<OpenedSession> {
  return inTransaction(db, await requireSession(db, uuid), async (tx) => {
    if ((await lockOpen(tx, uuid)).isOld) throw sessionTooOld()
    const session = await store.extendSession(tx, uuid, uploads.limits)
    if (!session) throw sessionNotFound()
    const asset = await requireAsset(tx, shownAssetId(session))
    return open(uploads, tx, { asset, session, tokenExpiresAt })
  })
}

/** Idempotent. The sweep deletes uploaded data, because storage may be unavailable now. */
export async function cancelSession(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await inTransaction(db, await requireSession(db, uuid), async (tx) => {
    const session = await store.lockSession(tx, uuid)
    if (!session) throw sessionNotFound()
    if (session.status === 'Cancelled') return
    if (!isOpen(session)) throw sessionClosed(session)
    await endSession(tx, session, {
      status: 'Cancelled',
      code: null,
      detail: null,
      hasLeftovers: true,
    })
    await cancelUpload(tx, session.assetId, uploadCancelled)
  })
}

/** Completes a session when the client reports the end of the upload. */
export async function completeSession(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<Required<Finalized>> {
  const before = await requireSession(db, uuid)
  const joinError = isOpen(before) ? await errorOf(joinArrivedParts(uploads, db, before)) : undefined
  // Storage is unavailable, so a check for the file would fail as well.
  if (isStorageUnavailable(joinError)) throw joinError
  const finalized = await finalizeSession(uploads, db, before, 'client')
  if (!finalized) throw sessionNotFound()
  const { session } = finalized
  // Ignore the error if a concurrent request has joined the parts.
  if (isOpen(session)) throw joinError ?? notArrived(session, uploads)
  if (session.status === 'Failed') throw sessionFailed(session)
  if (session.status !== 'Completed') throw sessionClosed(session)
  const asset = finalized.asset ?? (await findAsset(db, shownAssetId(session)))
  // The asset was deleted, and the session with it.
  if (!asset) throw sessionNotFound()
  return { session, asset }
}

const errorOf = (work: Promise<void>): Promise<unknown> => work.then(() => undefined).catch((error) => error)

async function lockOpen(tx: OrganizationDb, uuid: UploadSessionUuid): Promise<UploadSession> {
  const session = await store.lockSession(tx, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  return session
}

export async function open(
  { bucket, limits, supportsForms }: Uploads,
  db: OrganizationDb,
  { asset, session: stored, tokenExpiresAt }: Uploader & { asset: Asset; session: store.SignableSession },
): Promise<OpenedSession> {
  const session = { ...stored, expiresAt: earlierExpiry(stored.expiresAt, tokenExpiresAt) }
  const form = await bucket.signForm({
    key: keyOf(db, session),
    // A session for a larger file uses parts; its form keeps the usual limit.
    bytesMax: Math.min(session.bytesMax, limits.formBytesMax),
    signedAt: session.now,
    expiresAt: supportsForms ? session.expiresAt : ALREADY_EXPIRED,
  })
  return { asset, session, form, isInPartsOnly: !supportsForms || session.bytesMax > limits.formBytesMax }
}
