/**
 * Copies files that were uploaded with forms issued before the migration: they are posted to the storage of the old
 * cell, and copied from there for as long as one may arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { copyHolding } from '../../../maintenance/copies/copy-object.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import {
  findUploadedFile,
  listReachable,
  type ReachableSession,
  restartMultipart,
} from '../../../modules/upload-sessions/upload-sessions.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { MoveRefused } from '../move-refused.ts'
import type { Way } from '../rows/rows.ts'

const SESSIONS_AT_ONCE = 8
/** Poll interval. Clients call complete/ right after posting and may get "not arrived" for this long. */
const PAUSE_SECONDS = 0.5

type Looked = { readonly open: number; readonly carried: number; readonly begunAnew: number }

/** Checks every session that was open before the migration once; `db` is that of the destination. */
export async function carryUploads(
  { source, destination, organizationId, signal }: Way,
  db: OrganizationDb,
): Promise<Looked> {
  const there = source.database.forOrganization(organizationId)
  let [open, carried, begunAnew] = [0, 0, 0]
  const carry = async (session: ReachableSession) => {
    open += 1
    if (await restartMultipart(destination.buckets.uploads, db, session)) begunAnew += 1
    const { assetId } = session
    const arrived = await findUploadedFile(source.buckets.uploads, session)
    if (!arrived) return
    const holding = { bucket: 'uploads', assetId, ...arrived } as const
    const { objects } = await copyHolding(source.buckets, destination.buckets, holding, signal)
    carried += objects
  }
  await forEachConcurrently(
    listReachable(there, db),
    { concurrency: SESSIONS_AT_ONCE, signal },
    carry,
  )
  return { open, carried, begunAnew }
}

/**
 * Repeats until no more file can arrive. Returns the number of copied files. If it is stopped before, the migration
 * has not ended.
 */
export async function followUploads(way: Way, db: OrganizationDb): Promise<number> {
  let carried = 0
  try {
    for (;;) {
      const looked = await carryUploads(way, db)
      carried += looked.carried
      if (looked.open === 0) return carried
      await sleep(PAUSE_SECONDS * 1000, undefined, { signal: way.signal })
    }
  } catch (error) {
    if (!way.signal.aborted) throw error
    throw new MoveRefused(
      `Files of uploads that started before the move may still arrive in cell ${way.source.name}. Run this again to continue copying them, or with --no-follow to skip them.`,
    )
  }
}
