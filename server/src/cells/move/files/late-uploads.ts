/**
 * Copies files that were uploaded with forms issued before the migration: clients post them to the storage of the old
 * cell, and they are copied from there until no more can arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { copyStoredItem } from '../../../maintenance/copies/copy-object.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import {
  findUploadedFile,
  listReachable,
  type ReachableSession,
  restartMultipart,
} from '../../../modules/upload-sessions/upload-sessions.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { MoveRefused } from '../move-refused.ts'
import type { MoveContext } from '../rows/rows.ts'

const SESSIONS_AT_ONCE = 8
/** Poll interval for late files. Clients call complete/ right after posting and may get "not arrived" for this long. */
const PAUSE_SECONDS = 0.5

type LateUploads = { readonly open: number; readonly copied: number; readonly restarted: number }

/** Copies the files that have arrived for upload sessions from before the migration. `db` is at the destination. */
export async function copyLateUploads(
  { source, destination, organizationId, signal }: MoveContext,
  db: OrganizationDb,
): Promise<LateUploads> {
  const buckets = { from: source.buckets, to: destination.buckets, signal }
  const sourceDb = source.database.forOrganization(organizationId)
  let [open, copied, restarted] = [0, 0, 0]
  const copy = async (session: ReachableSession) => {
    open += 1
    if (await restartMultipart(destination.buckets.uploads, db, session)) restarted += 1
    const { assetId } = session
    const file = await findUploadedFile(source.buckets.uploads, session)
    if (!file) return
    const item = { bucket: 'uploads', assetId, ...file } as const
    const { objects } = await copyStoredItem(buckets, item)
    copied += objects
  }
  await forEachConcurrently(listReachable(sourceDb, db), { concurrency: SESSIONS_AT_ONCE, signal }, copy)
  return { open, copied, restarted }
}

/**
 * Copies late uploads until no more files can arrive. Returns the number of copied files. If it is stopped earlier, the
 * migration is not complete.
 */
export async function followUploads(context: MoveContext, db: OrganizationDb): Promise<number> {
  let copied = 0
  try {
    for (;;) {
      const found = await copyLateUploads(context, db)
      copied += found.copied
      if (found.open === 0) return copied
      await sleep(PAUSE_SECONDS * 1000, undefined, { signal: context.signal })
    }
  } catch (error) {
    if (!context.signal.aborted) throw error
    throw new MoveRefused(
      `Files of uploads that started before the move may still arrive in cell ${context.source.name}. ` +
        'Run the command again to continue copying them, or with --no-follow to skip them.',
    )
  }
}
