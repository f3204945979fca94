/** Saved answers that are too old go with new ones; those of organizations that save no new ones go here. */
import type { Database, OrganizationDb } from '../db/database.ts'
import { isHeld } from '../db/held.ts'
import type { Schedule } from '../jobs/schedule.ts'
import { deleteOldAnswers, selectWithOldAnswers } from './idempotency.store.ts'

const HOUR_SECONDS = 3600
const RUN_SECONDS_MAX = 600

/** Deleted at a time, and how often before the next organization has its turn; the rest goes an hour later. */
const ANSWERS_PER_STATEMENT = 1000
const STATEMENTS_PER_ORGANIZATION_MAX = 100

const ORGANIZATIONS_PER_PAGE = 100
const PAGES_MAX = 10_000

export const answerSchedules = (database: Database): Schedule[] => [
  {
    name: 'forget-old-answers',
    everySeconds: HOUR_SECONDS,
    runSecondsMax: RUN_SECONDS_MAX,
    run: ({ signal }) => forgetOldAnswers(database, signal),
  },
]

async function forgetOldAnswers(database: Database, signal: AbortSignal): Promise<void> {
  let last = ''
  for (let page = 0; page < PAGES_MAX && !signal.aborted; page++) {
    const ids = await selectWithOldAnswers(database, last, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      await forgetThoseOf(database.forOrganization(id), signal).catch(passOverHeld)
    }
    if (ids.length < ORGANIZATIONS_PER_PAGE) return
    last = ids.at(-1) ?? last
  }
}

/** It was held a moment ago, or it would not have been found. */
function passOverHeld(error: unknown): void {
  if (!isHeld(error)) throw error
}

async function forgetThoseOf(db: OrganizationDb, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < STATEMENTS_PER_ORGANIZATION_MAX && !signal.aborted; count++) {
    const deleted = await deleteOldAnswers(db, ANSWERS_PER_STATEMENT)
    if (deleted < ANSWERS_PER_STATEMENT) return
  }
}
