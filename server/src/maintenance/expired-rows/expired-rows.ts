/**
 * Deletes access tokens, spent playback tokens, invitations and recovery links that expired a week ago. Requests delete
 * those of their own organization; this schedule deletes those of organizations that send none.
 */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { unlessSuspended } from '../local-organizations.ts'
import { FailureLimit } from '../scrub/failure-limit.ts'
import { deleteExpired, selectOrganizations } from './expired-rows.store.ts'

const ROWS_PER_STATEMENT = 1000
/** Rounds per organization and run; the rest is deleted in the next run. */
const ROUNDS_MAX = 100
const ORGANIZATIONS_PER_PAGE = 100

export const expiredRowsSchedules = (database: Database): Schedule[] => [
  {
    name: 'delete-expired-rows',
    everySeconds: 3600,
    runSecondsMax: 600,
    run: ({ signal }) => deleteExpiredRows(database, signal),
  },
]

async function deleteExpiredRows(database: Database, signal: AbortSignal): Promise<void> {
  const failures = new FailureLimit()
  let after = ''
  do {
    const ids = await selectOrganizations(database, after, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      const db = database.forOrganization(id)
      await failures.run(() => unlessSuspended(deleteOf(db, signal), undefined))
    }
    after = ids.length < ORGANIZATIONS_PER_PAGE ? '' : (ids.at(-1) ?? '')
  } while (after !== '' && !signal.aborted)
  failures.throwFirst()
}

async function deleteOf(db: OrganizationDb, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round++) {
    if (!(await deleteExpired(db, ROWS_PER_STATEMENT))) return
  }
}
