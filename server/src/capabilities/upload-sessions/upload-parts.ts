/** Files over the limit of a form, and bad lines: the same session, its file sent in parts. */
import type { UploadSessionUuid } from '../../kernel/ids.ts'
import { secondsUntil } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { MultipartUpload, StoredPart } from '../../platform/storage/multipart.ts'
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
import {
  isOpen,
  notInParts,
  sessionClosed,
  sessionNotFound,
  sessionRanOut,
  type UploadSession,
} from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

export type SignedParts = {
  readonly plan: PartPlan
  readonly session: UploadSession
  readonly parts: readonly (Part & { readonly url: string })[]
}

export async function signParts(
  uploads: Uploads,
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  wish: { readonly fileBytes: number; readonly numbers: readonly number[] },
): Promise<SignedParts> {
  const session = await requireOpen(db, uuid)
  assertFits(wish.fileBytes, session.bytesMax)
  const plan = planParts(wish.fileBytes)
  const parts = wish.numbers.map((number) => partOf(plan, number))
  const upload = await openUpload(uploads, db, session, wish.fileBytes)
  const life = { from: session.now, seconds: secondsUntil(session.now, session.expiresAt) }
  const sign = async (part: Part) => ({
    ...part,
    url: await uploads.bucket.multipart.sign(upload, part, life),
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
  const upload = uploadOf(db, session)
  if (!upload) throw notInParts()
  return {
    plan: planParts(upload.fileBytes),
    parts: (await bucket.multipart.list(upload)) ?? [],
  }
}

/** Does nothing for a session whose file comes by the form, or whose parts have been joined before. */
export async function joinArrivedParts(
  { bucket }: Uploads,
  db: OrganizationDb,
  session: UploadSession,
): Promise<void> {
  const upload = uploadOf(db, session)
  const parts = upload && (await bucket.multipart.list(upload))
  if (!upload || !parts) return
  // The file may have come by the form after all; then the parts are not what is waited for.
  if (await bucket.exists(upload.key)) return
  assertAllArrived(planParts(upload.fileBytes), parts)
  if ((await bucket.multipart.join(upload, parts)) === 'under way') throw partsBeingJoined()
}

/**
 * After its expiry nothing more can be sent: parts that are all there only lack somebody who says so. Answers
 * whether they were joined.
 */
export async function joinForgottenParts(
  { bucket }: Uploads,
  db: OrganizationDb,
  session: UploadSession,
): Promise<boolean> {
  const upload = uploadOf(db, session)
  const parts = upload && (await bucket.multipart.list(upload))
  if (!upload || !parts) return false
  if (missingParts(planParts(upload.fileBytes), parts).length > 0) return false
  // Then it is too early to say that nothing has arrived.
  if ((await bucket.multipart.join(upload, parts)) === 'under way') throw partsBeingJoined()
  return true
}

type KnownUpload = MultipartUpload & { readonly fileBytes: number }

function uploadOf(db: OrganizationDb, session: UploadSession): KnownUpload | undefined {
  const { uploadId, partsBytes } = session
  if (uploadId === null || partsBytes === null) return undefined
  return { key: keyOf(db, session), uploadId, fileBytes: partsBytes }
}

/** The session's upload in parts, begun with the first part that is signed. */
async function openUpload(
  { bucket }: Uploads,
  db: OrganizationDb,
  session: UploadSession,
  fileBytes: number,
): Promise<MultipartUpload> {
  const known = uploadOf(db, session)
  if (known) {
    assertSameFile(known.fileBytes, fileBytes)
    return known
  }
  const upload = await bucket.multipart.begin(keyOf(db, session))
  const { uploadId } = upload
  if (await store.setUploadInParts(db, session.uuid, { uploadId, fileBytes })) return upload
  // Somebody else was quicker; theirs is the one that counts.
  await bucket.multipart.abort(upload)
  const winner = uploadOf(db, await requireOpen(db, session.uuid))
  if (!winner) throw sessionClosed(session)
  assertSameFile(winner.fileBytes, fileBytes)
  return winner
}

/** Open and not past its expiry: nothing that is signed now would be accepted otherwise. */
async function requireOpen(db: OrganizationDb, uuid: UploadSessionUuid) {
  const session = await store.findSession(db, uuid)
  if (!session) throw sessionNotFound()
  if (!isOpen(session)) throw sessionClosed(session)
  if (session.isExpired) throw sessionRanOut(session)
  return session
}
