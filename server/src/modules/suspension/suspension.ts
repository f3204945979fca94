/**
 * Suspending an organization makes it read-only: from the return of `suspendOrganization` until
 * `resumeOrganization`, no statement writes to it.
 *
 * Postgres refuses statements that start to write after the suspension was committed. Transactions
 * that started before may not have seen it; they are waited for, and terminated if they hang. So
 * every acknowledged write is there, and every other write has failed. (All transactions are "read
 * committed": with a stricter level, a transaction would not see the suspension.)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { SuspensionReason } from './suspension.store.ts'
import * as store from './suspension.store.ts'

export type { SuspensionReason }

const POLL_MILLISECONDS = 20

/** Time for running transactions to end. Healthy requests are faster. */
const GRACE_SECONDS = 5

/** A terminated connection ends at once unless Postgres itself has a problem. */
const TERMINATION_SECONDS_MAX = 5

/**
 * Suspends an organization. Requires a connection of the owner role, like all functions here.
 * Idempotent; throws if the organization is suspended for another reason. After any other error the
 * organization is suspended but running transactions may still write.
 */
export async function suspendOrganization(
  database: Database,
  id: OrganizationId,
  why: Exclude<SuspensionReason, 'gone' | 'deleted'> = 'operator',
): Promise<void> {
  const found = await store.insertSuspension(database.forOrganization(id), why)
  if (found !== why) throw refused('invalid_request', `Organization ${id} ${explanations[found]}`)
  const before = await store.selectTransactions(database)
  const hanging = await waitFor(database, before, GRACE_SECONDS)
  if (hanging.length === 0) return
  await store.terminateTransactions(database, hanging)
  const left = await waitFor(database, hanging, TERMINATION_SECONDS_MAX)
  if (left.length > 0) throw new Error(`${left.length} terminated transactions have not ended`)
}

/** Returns the transactions that have not ended in time. */
async function waitFor(database: Database, names: readonly string[], seconds: number): Promise<readonly string[]> {
  const deadline = performance.now() + seconds * 1000
  let left = names
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(POLL_MILLISECONDS)
    left = await store.selectRemaining(database, left)
  }
  return left
}

/** Marks a suspended organization as migrated to another cell. Requests are refused once the token caches expire. */
export async function markMigratedAway(database: Database, id: OrganizationId): Promise<void> {
  if (await store.updateToMigratedAway(database.forOrganization(id))) return
  throw refused('invalid_request', `Organization ${id} is not suspended. Suspend it first.`)
}

/**
 * Marks an organization that the operator has suspended as deleted: requests are refused once the token caches expire,
 * and its data is purged after some days. Returns that time.
 */
export async function markDeleted(database: Database, id: OrganizationId, days: number): Promise<Timestamp> {
  const purgeAt = await store.updateToDeleted(database.forOrganization(id), days)
  if (purgeAt === undefined) throw refused('invalid_request', `Organization ${id} is not suspended. Suspend it first.`)
  return purgeAt
}

/** Returns an organization to service whose data is not purged yet. Returns false if that is not possible. */
export const cancelDeletion = (database: Database, id: OrganizationId): Promise<boolean> =>
  store.deleteDeletion(database.forOrganization(id))

/**
 * Records that the router sends the requests of an arriving organization here. From then on its
 * suspension affects users and counts in the metrics.
 */
export function markRoutedHere(database: Database, id: OrganizationId): Promise<void> {
  return store.updateToRoutedHere(database.forOrganization(id))
}

/**
 * Resumes an organization. Returns false if it was not suspended for this reason: the operator
 * cannot lift the suspension of a migration, or vice versa.
 */
export function resumeOrganization(
  database: Database,
  id: OrganizationId,
  why: SuspensionReason = 'operator',
): Promise<boolean> {
  return store.deleteSuspension(database.forOrganization(id), why)
}

/** Messages for the operator. */
const explanations: Readonly<Record<SuspensionReason, string>> = {
  operator: 'is suspended by the operator. See resume-organization.',
  leaving: 'is being moved to another cell. Run move-organization again until it completes, or run cancel-move.',
  arriving:
    'is being moved to this cell and is incomplete. Run move-organization again until it completes, or run cancel-move.',
  gone: 'was moved to another cell. Run delete-moved-organization when its data is no longer needed here.',
  deleted: 'is being deleted. See delete-organization --cancel.',
}

export const organizationState = (db: OrganizationDb) => store.selectState(db)

/** The number of organizations that another cell hosts or that are being migrated here. */
export const countElsewhere = (database: Database) => store.countElsewhere(database)

/** Explains a suspension and what to do about it; undefined if the organization is not suspended. */
export async function explainSuspension(db: OrganizationDb): Promise<string | undefined> {
  const { why } = await store.selectState(db)
  return why === null ? undefined : `Organization ${db.organizationId} ${explanations[why]}`
}

/** Database handle that bypasses the write block, for the migration that suspended the organization. */
export const migratorDb = (database: Database, id: OrganizationId): OrganizationDb => database.forMigration(id)
