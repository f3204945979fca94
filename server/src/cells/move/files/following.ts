/**
 * Files that come by forms which were given out before the move: they are posted to the storage of
 * the cell that the organization left, and carried over from there for as long as one may come.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  beginPartsAnew,
  findArrived,
  listReachable,
  type ReachableSession,
} from '../../../capabilities/upload-sessions/upload-sessions.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { copyHolding } from '../../../upkeep/copy-holding.ts'
import { sharedOut } from '../../../upkeep/shared-out.ts'
import { MoveRefused } from '../move-refused.ts'
import type { Way } from '../rows/rows.ts'

const SESSIONS_AT_ONCE = 8
/** Whoever has posted a form says so at once; for so long he may be told that it is not there yet. */
const PAUSE_SECONDS = 0.5

type Looked = { readonly open: number; readonly carried: number; readonly begunAnew: number }

/** Looks once at every session that was open before the move; `db` is that of the destination. */
export async function carryUploads(
  { source, destination, organizationId, signal }: Way,
  db: OrganizationDb,
): Promise<Looked> {
  const there = source.database.forOrganization(organizationId)
  let [open, carried, begunAnew] = [0, 0, 0]
  const carry = async (session: ReachableSession) => {
    open += 1
    if (await beginPartsAnew(destination.buckets.uploads, db, session)) begunAnew += 1
    const { assetId } = session
    const arrived = await findArrived(source.buckets.uploads, session)
    if (!arrived) return
    const holding = { bucket: 'uploads', assetId, ...arrived } as const
    const { objects } = await copyHolding(source.buckets, destination.buckets, holding, signal)
    carried += objects
  }
  await sharedOut(listReachable(there, db), SESSIONS_AT_ONCE, carry, signal)
  return { open, carried, begunAnew }
}

/** Goes on until no file can come any more; answers how many came. Whoever is stopped before has not ended the move. */
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
      `Files of uploads that were begun before may still arrive in cell ${way.source.name}. Run this again to go on carrying them over, or with --no-follow to be done with it.`,
    )
  }
}
