/**
 * Deletes a whole organization. The operator's command suspends it at once and marks it as deleted; after the grace
 * period a schedule purges its jobs, objects and rows in batches. Each step can be repeated, so a worker that is killed
 * is continued by the next run. The suspension is removed last: until then the organization cannot be written to.
 */
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../../platform/db/database.ts'
import { deleteEndedJobs } from '../../platform/jobs/engine/migrating-jobs.ts'
import {
  cancelDeletion as cancel,
  explainSuspension,
  markDeleted,
  organizationState,
  resumeOrganization,
  suspendOrganization,
} from '../suspension/suspension.ts'
import * as store from './organization-deletion.store.ts'

export const GRACE_DAYS_DEFAULT = 7
export const GRACE_DAYS_MAX = 365

type Deletion = {
  readonly graceDays: number
  /** The operator has confirmed that assets and folders under legal hold are deleted as well. */
  readonly ignoresHolds: boolean
}

/** Returns when the data is purged. Requires a connection of the owner role. */
export async function deleteOrganization(
  database: Database,
  id: OrganizationId,
  { graceDays, ignoresHolds }: Deletion,
): Promise<Timestamp> {
  const db = database.forOrganization(id)
  if (!ignoresHolds) await assertNoHolds(database, id)
  const { why } = await organizationState(db)
  await suspendOrganization(database, id)
  try {
    // Nothing changes any more, so this is final.
    if (!ignoresHolds) await assertNoHolds(database, id)
  } catch (error) {
    if (why === null) await resumeOrganization(database, id)
    throw error
  }
  return markDeleted(database, id, graceDays)
}

async function assertNoHolds(database: Database, id: OrganizationId): Promise<void> {
  const { assets, folders } = await store.countHolds(database.forOrganization(id))
  if (assets + folders === 0) return
  throw refused(
    'legal_hold',
    `Organization ${id} has ${assets} assets and ${folders} folders under legal hold. Nothing was deleted. To delete them too, repeat the command with --despite-legal-hold.`,
  )
}

/** Returns the organization to service. Requires a connection of the owner role. */
export async function cancelDeletion(database: Database, id: OrganizationId): Promise<void> {
  if (await cancel(database, id)) return
  const db = database.forOrganization(id)
  const { why } = await organizationState(db)
  const problem =
    why === 'deleted' ? 'is being purged already; its deletion cannot be cancelled' : 'is not being deleted'
  const explanation = why === 'deleted' ? undefined : await explainSuspension(db)
  throw refused('invalid_request', explanation ?? `Organization ${id} ${problem}.`)
}

/** `deleteAll` deletes some objects and returns whether nothing is left under the prefix. */
type Bucket = { readonly deleteAll: (prefix: string) => Promise<boolean> }

type Purge = {
  readonly buckets: readonly Bucket[]
  /** Seconds after which nothing more can arrive with a form that was signed before the suspension. */
  readonly formSecondsMax: number
  readonly signal: AbortSignal
  readonly onPurged: (id: OrganizationId) => void
  readonly onFailure: (error: unknown, id: OrganizationId) => void
}

/** Continues all deletions that are due. An error in one organization does not stop the others. */
export async function purgeDeletedOrganizations(database: Database, purge: Purge): Promise<void> {
  for (const due of await store.selectDueDeletions(database)) {
    if (purge.signal.aborted) return
    await purgeOrganization(database, due, purge).catch((error: unknown) => purge.onFailure(error, due.id))
  }
}

/** Rows per transaction; small, so that a batch does not block other sessions for long. */
const ROWS_PER_BATCH = 5000

async function purgeOrganization(database: Database, due: store.DueDeletion, purge: Purge): Promise<void> {
  const { id, suspendedSeconds } = due
  // A running attempt is aborted within seconds and may enqueue the next one; the next run deletes both.
  if (!(await deleteEndedJobs(database, id))) return
  if (!(await purgeObjects(id, purge)) || !(await purgeAllRows(database, id, purge.signal))) return
  // Until then, a client could still upload a file; the suspension stays, so that a later run deletes it.
  if (suspendedSeconds < purge.formSecondsMax) return
  if (await store.finishDeletion(database, id)) purge.onPurged(id)
}

/** Returns whether nothing is left. */
async function purgeObjects(id: OrganizationId, { buckets, signal }: Purge): Promise<boolean> {
  for (const bucket of buckets) {
    while (!(await bucket.deleteAll(`${id}/`))) if (signal.aborted) return false
  }
  return true
}

/** Returns whether nothing is left; false also if the deletion was cancelled. */
async function purgeAllRows(database: Database, id: OrganizationId, signal: AbortSignal): Promise<boolean> {
  let deleted: number | null = 0
  do {
    if (signal.aborted) return false
    deleted = await store.purgeRows(database, id, ROWS_PER_BATCH)
  } while (deleted)
  return deleted === 0
}
