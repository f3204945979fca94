/**
 * The sweep: storage is asked about every session that is due, whatever became of its notifications. Open
 * sessions are completed or expired by it, ended ones freed of what was posted with their form afterwards.
 */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isHeld } from '../../platform/db/held.ts'
import { isStorageAway } from '../../platform/storage/availability.ts'
import { findSource } from '../assets/assets.ts'
import { mayComplete, type UploadSession } from './upload-sessions.rules.ts'
import { settle } from './upload-settling.ts'
import * as store from './upload-sweep.store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** Sessions taken at a time, looks at a time, and how often before the next sweep goes on. */
const BATCH = 200
const LOOKS_AT_ONCE = 8
const BATCHES_MAX = 50

/** So many looks one after the other that found storage away mean that all others would, too. */
const AWAY_IN_A_ROW_MAX = LOOKS_AT_ONCE

/** What a sweep did, for whoever watches. */
export type Swept = { readonly looks: number; readonly failures: number }

type OnFailure = (error: unknown, session: store.DueSession) => void
type Looked = 'fine' | 'failed' | 'storage_away'

export async function sweep(
  uploads: Uploads,
  database: Database,
  signal: AbortSignal,
  onFailure: OnFailure,
): Promise<Swept> {
  const outcomes: Looked[] = []
  const isAway = () =>
    outcomes.length >= AWAY_IN_A_ROW_MAX &&
    outcomes.slice(-AWAY_IN_A_ROW_MAX).every((outcome) => outcome === 'storage_away')
  const isOver = () => signal.aborted || isAway()
  for (let batch = 0; batch < BATCHES_MAX && !isOver(); batch++) {
    const due = await store.selectDue(database, BATCH)
    const queue = due.values()
    const work = async () => {
      for (const session of queue) {
        if (isOver()) return
        const outcome = await lookUnlessHeld(uploads, database, session, onFailure)
        uploads.metrics.countLook(outcome)
        outcomes.push(outcome)
      }
    }
    await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work))
    if (due.length < BATCH) break
  }
  return {
    looks: outcomes.length,
    failures: outcomes.filter((outcome) => outcome !== 'fine').length,
  }
}

/** One that was held a moment ago is due again when it is released. */
async function lookUnlessHeld(...given: Parameters<typeof lookAt>): Promise<Looked> {
  try {
    return await lookAt(...given)
  } catch (error) {
    if (isHeld(error)) return 'fine'
    throw error
  }
}

async function lookAt(
  uploads: Uploads,
  database: Database,
  due: store.DueSession,
  onFailure: OnFailure,
): Promise<Looked> {
  const db = database.forOrganization(due.organizationId)
  const session = await store.claimDue(db, due.uuid, uploads.limits)
  if (!session) return 'fine'
  try {
    await look(uploads, db, session)
    return 'fine'
  } catch (error) {
    if (isHeld(error)) throw error
    onFailure(error, due)
    await store.lookAgainSoon(db, due.uuid)
    return isStorageAway(error) ? 'storage_away' : 'failed'
  }
}

async function look(uploads: Uploads, db: OrganizationDb, session: UploadSession): Promise<void> {
  if (!mayComplete(session)) return tidy(uploads, db, session)
  const settled = await settle(uploads, db, session.uuid, 'sweep')
  if (settled?.status === 'Expired') await freeParts(uploads, db, settled)
}

/** Of an expired session only its parts: an object that turns up is what it waits for. */
async function freeParts({ bucket }: Uploads, db: OrganizationDb, session: UploadSession) {
  const { uploadId } = session
  if (uploadId !== null) await bucket.multipart.abort({ key: keyOf(db, session), uploadId })
}

/** Everything but the version that was taken, if one was. */
async function tidy({ bucket }: Uploads, db: OrganizationDb, session: UploadSession) {
  const kept = session.status === 'Completed' ? await findSource(db, session.assetId) : undefined
  if (session.status === 'Completed' && !kept) return
  // What is too much for one look is gone on with at the next.
  if (!(await bucket.free(keyOf(db, session), kept))) return
  await store.restSession(db, session.uuid, session.isClosed)
}
