/** Deletes expired idempotency keys of organizations that no longer insert new ones. */
import type { Database, OrganizationDb } from '../../db/database.ts'
import { isSuspended } from '../../db/suspension.ts'
import { deleteOldKeys, selectOrganizationsWithOldKeys } from './idempotency.store.ts'

/** Limits of deleted keys per organization and run; the rest is deleted in the next run. */
const KEYS_PER_STATEMENT = 1000
const STATEMENTS_PER_ORGANIZATION_MAX = 100

const ORGANIZATIONS_PER_PAGE = 100
const PAGES_MAX = 10_000

export async function deleteOldResponses(database: Database, signal: AbortSignal): Promise<void> {
  let last = ''
  for (let page = 0; page < PAGES_MAX && !signal.aborted; page++) {
    const ids = await selectOrganizationsWithOldKeys(database, last, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      await deleteOldResponsesOf(database.forOrganization(id), signal).catch(ignoreSuspended)
    }
    if (ids.length < ORGANIZATIONS_PER_PAGE) return
    last = ids.at(-1) ?? last
  }
}

/** Ignores the error of an organization that was suspended after it was selected. */
function ignoreSuspended(error: unknown): void {
  if (!isSuspended(error)) throw error
}

async function deleteOldResponsesOf(db: OrganizationDb, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < STATEMENTS_PER_ORGANIZATION_MAX && !signal.aborted; count++) {
    const deleted = await deleteOldKeys(db, KEYS_PER_STATEMENT)
    if (deleted < KEYS_PER_STATEMENT) return
  }
}
