/** Multipart uploads, for files over the limit of a form and unreliable connections. */
import type { UploadSessionUuid } from '../../../kernel/ids.ts'
import { secondsUntil, type Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { MultipartUpload, StoredPart } from '../../../platform/storage/multipart.ts'
import { earlierExpiry } from '../../grants/grants.ts'
import {
  isOpen,
  notInParts,
  sessionClosed,
  sessionNotFound,
  sessionPastExpiry,
  type UploadSession,
} from '../upload-sessions.rules.ts'
import * as store from '../upload-sessions.store.ts'
import { keyOf, type Uploads } from '../uploads.ts'
import {
  assertAllArrived,
  assertFits,
  assertSameFile,
  missingParts,
  type Part,
  type PartPlan,
  partOf,
  partsBeingJoined,
  planParts,
} from './upload-parts.rules.ts'

export type SignedParts = {
  readonly plan: PartPlan
  readonly session: UploadSession
  readonly parts: readonly (Part & { readonly url: string })[]
}

type PartsInput = {
  readonly fileBytes: number
  readonly numbers: readonly number[]
  /** Expiry of the API token that asks for the URLs. They expire with it at the latest. */
  readonly tokenExpiresAt: Timestamp | null
}

export async function signParts(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  input: PartsInput,
): Promise<SignedParts> {
  const stored = await requireOpen(db, uuid)
  const session = { ...stored, expiresAt: earlierExpiry(stored.expiresAt, input.tokenExpiresAt) }
  assertFits(input.fileBytes, session.bytesMax)
  const plan = planParts(input.fileBytes)
  const parts = input.numbers.map((number) => partOf(plan, number))
  const upload = await openUpload(uploads, db, session, input.fileBytes)
  const validity = { from: session.now, seconds: secondsUntil(session.now, session.expiresAt) }
  const sign = async (part: Part) => ({
    ...part,
    url: await uploads.bucket.multipart.sign(upload, part, validity),
  })
  return { plan, session, parts: await Promise.all(parts.map(sign)) }
}

export async function listArrivedParts(
  { bucket }: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<{ readonly plan: PartPlan; readonly parts: readonly StoredPart[] }> {
  const session = await store.findSession(db, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  const upload = ongoingUploadOf(db, session)
  if (!upload) throw notInParts()
  return {
    plan: planParts(upload.fileBytes),
    parts: (await bucket.multipart.list(upload)) ?? [],
  }
}

/** Does nothing if the session has no multipart upload or its parts were already joined. */
export async function joinArrivedParts({ bucket }: Uploads, db: OrganizationDb, session: UploadSession): Promise<void> {
  const upload = ongoingUploadOf(db, session)
  const parts = upload && (await bucket.multipart.list(upload))
  if (!upload || !parts) return
  // The client may have sent the file with the form instead.
  if (await bucket.exists(upload.key)) return
  assertAllArrived(planParts(upload.fileBytes), parts)
  if ((await bucket.multipart.join(upload, parts)) === 'in progress') throw partsBeingJoined()
}

/**
 * For expired sessions, to which nothing more can be sent: joins the parts if all have arrived although the client
 * never called `complete/`. Returns whether it did.
 */
export async function joinUnreportedParts(
  { bucket }: Uploads,
  db: OrganizationDb,
  session: UploadSession,
): Promise<boolean> {
  const upload = ongoingUploadOf(db, session)
  const parts = upload && (await bucket.multipart.list(upload))
  if (!upload || !parts) return false
  if (missingParts(planParts(upload.fileBytes), parts).length > 0) return false
  // Storage is still joining the parts, so it is too early to conclude that no file has arrived.
  if ((await bucket.multipart.join(upload, parts)) === 'in progress') throw partsBeingJoined()
  return true
}

type OngoingUpload = MultipartUpload & { readonly fileBytes: number }

function ongoingUploadOf(db: OrganizationDb, session: UploadSession): OngoingUpload | undefined {
  const { uploadId, partsBytes } = session
  if (uploadId === null || partsBytes === null) return undefined
  return { key: keyOf(db, session), uploadId, fileBytes: partsBytes }
}

/** The session's multipart upload, created when the first part is signed. */
async function openUpload(
  { bucket }: Uploads,
  db: OrganizationDb,
  session: UploadSession,
  fileBytes: number,
): Promise<MultipartUpload> {
  const ongoing = ongoingUploadOf(db, session)
  if (ongoing) {
    assertSameFile(ongoing.fileBytes, fileBytes)
    return ongoing
  }
  const upload = await bucket.multipart.begin(keyOf(db, session))
  const { uploadId } = upload
  if (await store.setUploadInParts(db, session.uuid, { uploadId, fileBytes })) return upload
  // A concurrent request was first; use its upload.
  await bucket.multipart.abort(upload)
  const winner = ongoingUploadOf(db, await requireOpen(db, session.uuid))
  if (!winner) throw sessionClosed(session)
  assertSameFile(winner.fileBytes, fileBytes)
  return winner
}

/** Throws unless the session is open and not expired: storage would reject URLs signed for it. */
async function requireOpen(db: OrganizationDb, uuid: UploadSessionUuid) {
  const session = await store.findSession(db, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  if (session.isExpired) throw sessionPastExpiry(session)
  return session
}
