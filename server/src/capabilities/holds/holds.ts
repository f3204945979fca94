/**
 * Holding an organization: from when `holdOrganization` returns until it is released, nothing of it
 * is written, by whomever.
 *
 * A statement that begins to write after the hold was committed is refused by Postgres. Those that
 * began before may not have seen it, so transactions that write are waited for, and ended if they
 * hang. What was acknowledged by then is there; everything else was told that it has not happened.
 * (All of ours are "read committed": one that sees only what was there when it began would not see
 * the hold.)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { HoldReason } from './holds.store.ts'
import * as store from './holds.store.ts'

export type { HoldReason }

const LOOK_MILLISECONDS = 20

/** No request that goes well takes as long; and for so long callers wait at most. */
const PATIENCE_SECONDS = 5

/** A connection that was told to end ends at once, unless Postgres itself is in trouble. */
const ENDING_SECONDS_MAX = 5

/**
 * Needs a database opened as the owner, like the others here. Doing it twice is harmless; one that
 * is held for another reason is refused. Should it fail otherwise, the organization is held, and
 * something may still be written.
 */
export async function holdOrganization(
  database: Database,
  id: OrganizationId,
  why: Exclude<HoldReason, 'gone'> = 'operator',
): Promise<void> {
  const found = await store.insertHold(database.forOrganization(id), why)
  if (found !== why) throw refused('invalid_request', `Organization ${id} ${inWords[found]}`)
  const before = await store.selectTransactions(database)
  const hanging = await waitFor(database, before, PATIENCE_SECONDS)
  if (hanging.length === 0) return
  await store.terminateTransactions(database, hanging)
  const left = await waitFor(database, hanging, ENDING_SECONDS_MAX)
  if (left.length > 0)
    throw new Error(`${left.length} transactions do not end though they were told to`)
}

/** Answers those that have not ended in time. */
async function waitFor(
  database: Database,
  names: readonly string[],
  seconds: number,
): Promise<readonly string[]> {
  const deadline = performance.now() + seconds * 1000
  let left = names
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(LOOK_MILLISECONDS)
    left = await store.selectRemaining(database, left)
  }
  return left
}

/**
 * Says of an organization that is held that it lives elsewhere: nothing of it is answered here, as
 * soon as nobody remembers otherwise.
 */
export async function markGone(database: Database, id: OrganizationId): Promise<void> {
  if (await store.updateToGone(database.forOrganization(id))) return
  throw refused('invalid_request', `Organization ${id} is not held; hold it first.`)
}

/**
 * Says of an organization that is about to arrive that callers are led here by now: they notice that
 * it is held, so somebody is woken if that lasts.
 */
export function markLedHere(database: Database, id: OrganizationId): Promise<void> {
  return store.updateToLedHere(database.forOrganization(id))
}

/**
 * Everything goes on. False if it was not held for this reason: what a mover holds is not the
 * operator's to release, nor the other way round.
 */
export function releaseOrganization(
  database: Database,
  id: OrganizationId,
  why: HoldReason = 'operator',
): Promise<boolean> {
  return store.deleteHold(database.forOrganization(id), why)
}

/** What the operator does about a hold. */
const inWords: Readonly<Record<HoldReason, string>> = {
  operator: 'is held by the operator. See release-organization.',
  leaving:
    'is being moved to another cell. Run move-organization again to the end, or abandon-move.',
  arriving:
    'is on its way to this cell and not all of it is here. Run move-organization again to the end, or abandon-move.',
  gone: 'lives in another cell. Run forget-organization when nothing of it is needed here any more.',
}

/** In words, with what to do about it; undefined if it is not held. */
export async function explainHold(db: OrganizationDb): Promise<string | undefined> {
  const why = await store.selectReason(db)
  return why && `Organization ${db.organizationId} ${inWords[why]}`
}

/** Whose statements pass the barrier. Only for who holds the organization and moves it. */
export const moverDb = (database: Database, id: OrganizationId): OrganizationDb =>
  database.forMover(id)
