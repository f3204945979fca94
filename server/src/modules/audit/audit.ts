import { hash } from 'node:crypto'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest, RowPage, SortKey } from '../../platform/db/paging/keyset.ts'
import { toRowPage } from '../../platform/db/paging/keyset.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { recordEvents } from '../events/events.ts'
import { headPublished } from './audit.events.ts'
import {
  type Actor,
  type AuditEntry,
  type AuditObject,
  boundedEntry,
  ChainCheck,
  type ChainEnd,
  canonicalText,
  FIRST_HASH,
  type NewEntry,
  objectFinder,
  systemActor,
} from './audit.rules.ts'
import * as store from './audit.store.ts'
import { type EntryFilter, selectChain, selectEntries, selectNumbers } from './audit-entries.store.ts'

export type { Actor, AuditEntry, AuditObject, EntryFilter, NewEntry }
export { objectFinder, systemActor }
export const { hasUnsealed, unsealedSeconds } = store

/** A record that is written in the first transaction that changes something. A created resource is its object. */
export const changeRecord = (entryOf: () => NewEntry): ChangeRecord => ({
  isWritten: false,
  query: (created) => {
    const entry = boundedEntry(entryOf())
    return store.entryQueryIfChanged(created ? { ...entry, object: created } : entry)
  },
})

/** Records entries of an organization that do not belong to a change. */
export async function recordEntries(db: OrganizationDb, entries: readonly store.WaitingEntry[]): Promise<void> {
  await db.run(store.entriesQuery(entries.map((entry) => ({ ...entry, ...boundedEntry(entry) }))))
}

/** Entries per transaction that seals. */
const SEALED_PER_BATCH = 1000

/** Maximum number of batches, so that a reader does not wait for later entries forever. */
const BATCHES_MAX = 100

/**
 * Seals all waiting entries. Readers call this first, so that they see everything committed before. While the
 * organization is suspended, only its migration seals entries.
 */
export async function sealEntries(db: OrganizationDb): Promise<void> {
  try {
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      if (!(await store.hasUnsealed(db))) return
      await store.sealBatch(db, SEALED_PER_BATCH)
    }
  } catch (error) {
    if (!isSuspended(error)) throw error
  }
}

/** Maximum number of organizations per run of a schedule. */
const ORGANIZATIONS_PER_RUN_MAX = 1000

/** Does work for each organization. An error of one organization is thrown after the others were handled. */
async function forEach(
  ids: readonly OrganizationId[],
  signal: AbortSignal,
  work: (id: OrganizationId) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (const id of ids) {
    if (signal.aborted) break
    await work(id).catch((error: unknown) => isSuspended(error) || failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Seals the waiting entries of all organizations. */
export async function sealWaiting(database: Database, signal: AbortSignal): Promise<void> {
  const ids = await store.selectUnsealed(database, ORGANIZATIONS_PER_RUN_MAX)
  await forEach(ids, signal, (id) => sealEntries(database.forOrganization(id)))
}

/** Entries removed per transaction. */
const REMOVED_PER_BATCH = 10_000

/** Removes entries that are older than `days`. The log keeps the hash of the last one, so the rest still verifies. */
export async function removeOldEntries(database: Database, days: number, signal: AbortSignal): Promise<void> {
  const ids = await store.selectWithOldEntries(database, days, ORGANIZATIONS_PER_RUN_MAX)
  await forEach(ids, signal, async (id) => {
    const db = database.forOrganization(id)
    while (!signal.aborted && (await store.removeOldBatch(db, days, REMOVED_PER_BATCH)) === REMOVED_PER_BATCH);
  })
}

/** Publishes the end of each log as an event, once a day. A copy of it outside of the database proves later changes. */
export async function publishHeads(database: Database, signal: AbortSignal): Promise<void> {
  const ids = await store.selectUnpublished(database, ORGANIZATIONS_PER_RUN_MAX)
  await forEach(ids, signal, (id) =>
    database.forOrganization(id).transaction(async (tx) => {
      const head = await store.takeHeadToPublish(tx)
      if (head) await recordEvents(tx, headPublished(tx.organizationId, head))
    }),
  )
}

export const isNumberKey = ([number, ...rest]: SortKey) =>
  number !== undefined && /^\d{1,15}$/.test(number) && rest.length === 0

/** A page of entries, newest first. */
export async function listEntries(
  db: OrganizationDb,
  filter: EntryFilter,
  request: PageRequest,
): Promise<RowPage<AuditEntry>> {
  await sealEntries(db)
  return toRowPage(await selectEntries(db, filter, request), request, ({ number }) => [String(number)])
}

const emptyLog = {
  ...{ lastNumber: 0, lastHash: FIRST_HASH, anchorNumber: 0, anchorHash: FIRST_HASH, removedUpTo: null },
} satisfies store.AuditLog

/** The end of the log: the number and hash of its last entry. */
export async function readHead(db: OrganizationDb): Promise<ChainEnd> {
  await sealEntries(db)
  const { lastNumber, lastHash } = (await store.findLog(db)) ?? emptyLog
  return { number: lastNumber, hash: lastHash }
}

const LAST_NUMBER = Number.MAX_SAFE_INTEGER

/** Entries read at a time while exporting or verifying. */
const ENTRIES_PER_READ = 1000

export type ExportRange = Pick<EntryFilter, 'createdAfter' | 'createdBefore'> & {
  /** Number to continue after. */
  readonly after: number
  readonly limit: number
}

/** Reads the entries of a range of time without gaps, in the order of their numbers, in chunks. */
export async function* exportEntries(db: OrganizationDb, range: ExportRange): AsyncGenerator<readonly AuditEntry[]> {
  await sealEntries(db)
  const { first, last } = await selectNumbers(db, range)
  let after = Math.max(first - 1, range.after)
  for (let left = range.limit; left > 0; left -= ENTRIES_PER_READ) {
    const entries = await selectChain(db, { after, last, limit: Math.min(ENTRIES_PER_READ, left) })
    if (entries.length > 0) yield entries
    if (entries.length < ENTRIES_PER_READ) return
    after = entries.at(-1)?.number ?? after
  }
}

/** How many entries were checked, the end that was reached, and the first problem. */
export type Verification = Pick<ChainCheck, 'checked' | 'head' | 'broken'>

/** Verifications that are started again because old entries were removed during the verification. */
const RESTARTS_MAX = 3

/** Verifies the chain of an organization from the last removed entry to the end. */
export async function verifyEntries(db: OrganizationDb): Promise<Verification> {
  await sealEntries(db)
  for (let restarts = 0; ; restarts++) {
    const log = (await store.findLog(db)) ?? emptyLog
    const check = new ChainCheck({ number: log.anchorNumber, hash: log.anchorHash })
    await verifyLog(db, log, check)
    const isSame = (await store.findLog(db))?.anchorNumber === log.anchorNumber
    if (!check.broken || isSame || restarts === RESTARTS_MAX) return check
  }
}

async function verifyLog(db: OrganizationDb, log: store.AuditLog, check: ChainCheck): Promise<boolean> {
  const { anchorNumber, removedUpTo } = log
  if (anchorNumber > 0 && Number(removedUpTo) !== anchorNumber)
    return check.fail(anchorNumber, 'no entry says that the entries up to it were removed')
  const readAfter = (after: number) => selectChain(db, { after, last: LAST_NUMBER, limit: ENTRIES_PER_READ })
  for (let next = readAfter(anchorNumber); ; ) {
    const entries = await next
    // Postgres reads the next entries while these are hashed.
    next = readAfter(entries.at(-1)?.number ?? check.head.number)
    // Prevents an unhandled rejection; awaiting still throws.
    next.catch(() => {})
    if (!entries.every((entry) => check.add(entry, hash('sha256', canonicalText(entry), 'hex')))) return false
    if (entries.length === ENTRIES_PER_READ) continue
    // Entries may have been sealed since the log was read.
    const { lastNumber, lastHash } = (await store.findLog(db)) ?? log
    if (lastNumber <= check.head.number || entries.length === 0)
      return check.end({ number: lastNumber, hash: lastHash })
  }
}

/** Organizations that have a log, one after the other. Requires a connection of the owner role. */
export async function* organizationsWithLogs(database: Database): AsyncGenerator<OrganizationId> {
  let after = ''
  for (;;) {
    const ids = await store.selectOrganizations(database, after, ORGANIZATIONS_PER_RUN_MAX)
    yield* ids
    if (ids.length < ORGANIZATIONS_PER_RUN_MAX) return
    after = ids.at(-1) ?? ''
  }
}
