/** Replicates the rows of an organization with Postgres: first the existing rows, then every committed change. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/db/database.ts'
import { MoveRefused } from '../move-refused.ts'
import type { OpenCell } from '../open-cell.ts'
import { deleteRows } from './delete-rows.ts'
import { type CountedTable, countRows, hashRows, selectMovedTables } from './moved-tables.store.ts'
import * as replication from './replication.store.ts'
import { createWeeks } from './weeks.store.ts'

const POLL_MILLISECONDS = 50
const REPORT_EVERY_SECONDS = 5
/**
 * Maximum time without a running replication worker. Postgres restarts a dead worker within seconds; if the worker
 * keeps dying, the log of Postgres shows the reason.
 */
const IDLE_SECONDS_MAX = 60
/** Maximum time for replicating the last changes before the suspension, usually those of about a second. */
const REPLAY_SECONDS_MAX = 60
const SLOT_SECONDS_MAX = 30
/**
 * Maximum number of rows to hash, because callers wait meanwhile. Measured: 1.5 s for this many rows, with thirty
 * processes competing for two cores.
 */
const ROWS_HASHED_MAX = 100_000

export type MoveContext = {
  readonly source: OpenCell
  readonly destination: OpenCell
  readonly organizationId: OrganizationId
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

/** Starts replication, or continues an interrupted one. Returns when the existing rows are copied. */
export async function replicateRows(context: MoveContext): Promise<void> {
  const { source, destination, organizationId: id, report } = context
  const weeks = await createWeeks(source.database, destination.database)
  if (weeks.length > 0) report(`created ${weeks.length} partitions of the event log`)
  if (!(await replication.hasSubscription(destination.database, id))) {
    // Any rows at the destination are leftovers of a cancelled attempt.
    await deleteRows(destination.database, id, 'arriving')
    await dropStraySlot(context)
    const tables = await selectMovedTables(source.database)
    await replication.dropPublication(source.database, id)
    await replication.createPublication(source.database, id, tables)
    const { databaseForCells } = source.placement.cell
    await replication.createSubscription(destination.placement.cell.database, id, databaseForCells)
  }
  await untilInSync(context)
}

async function dropStraySlot({ source, organizationId: id, signal }: MoveContext): Promise<void> {
  const deadline = performance.now() + SLOT_SECONDS_MAX * 1000
  while (!(await replication.dropStraySlot(source.database, id))) {
    if (performance.now() > deadline) {
      throw new MoveRefused(`Cell ${source.name} is still replicating rows of ${id}. See pg_replication_slots there.`)
    }
    await sleep(POLL_MILLISECONDS, undefined, { signal })
  }
}

async function untilInSync({ destination, organizationId, signal, report }: MoveContext): Promise<void> {
  let [workedAt, reportedAt] = [performance.now(), performance.now()]
  for (;;) {
    const state = await replication.selectSync(destination.database, organizationId)
    if (state && state.tables > 0 && state.tables === state.tablesReady) return
    const now = performance.now()
    if (state?.isWorking) workedAt = now
    if (now - workedAt > IDLE_SECONDS_MAX * 1000) {
      throw new MoveRefused(
        `Postgres of cell ${destination.name} makes no progress copying rows. ` +
          'Check its log, then run the command again.',
      )
    }
    if (now - reportedAt > REPORT_EVERY_SECONDS * 1000) {
      reportedAt = now
      report(`${state?.tablesReady ?? 0} of ${state?.tables ?? 0} tables are in sync`)
    }
    await sleep(POLL_MILLISECONDS, undefined, { signal })
  }
}

/** Returns when everything committed at the source is at the destination. */
export async function untilReplayed({ source, organizationId, signal }: MoveContext): Promise<void> {
  const until = await replication.walPosition(source.database)
  const deadline = performance.now() + REPLAY_SECONDS_MAX * 1000
  while (!(await replication.hasReplayed(source.database, organizationId, until))) {
    if (performance.now() > deadline) {
      throw new MoveRefused(
        `The last rows have not arrived within ${REPLAY_SECONDS_MAX} s. Run the command again, or run cancel-move.`,
      )
    }
    await sleep(POLL_MILLISECONDS / 5, undefined, { signal })
  }
}

/**
 * Throws unless both databases have the same number of rows in every table, and equal rows in all but the largest
 * tables. Neither database is written to in the meantime.
 */
export async function assertSameRows({ source, destination, organizationId: id }: MoveContext): Promise<number> {
  const databases = [source.database, destination.database]
  const tables = await selectMovedTables(source.database)
  const [expected = [], actual = []] = await Promise.all(databases.map((database) => countRows(database, id, tables)))
  assertNoDifference(expected.filter(({ rows }, index) => rows !== actual[index]?.rows))
  const few = smallest(expected, ROWS_HASHED_MAX)
  const [expectedHashes = [], actualHashes = []] = await Promise.all(
    databases.map((database) => hashRows(database, id, few)),
  )
  assertNoDifference(few.filter((_, index) => expectedHashes[index] !== actualHashes[index]))
  return expected.reduce((total, { rows }) => total + rows, 0)
}

function assertNoDifference(differing: readonly CountedTable[]): void {
  if (differing.length === 0) return
  const names = differing.map(({ name }) => name).join(', ')
  throw new MoveRefused(
    `These tables differ although nothing is written: ${names}. Nothing is lost; cancel-move restores the previous state.`,
  )
}

/** Returns the smallest tables that together have at most `rowsMax` rows. */
function smallest(tables: readonly CountedTable[], rowsMax: number): CountedTable[] {
  let total = 0
  return tables
    .toSorted((one, other) => one.rows - other.rows)
    .filter(({ rows }) => {
      total += rows
      return total <= rowsMax
    })
}

/** Drops subscription, slot and publication. */
export async function stopReplication(source: Database, destination: Database, id: OrganizationId): Promise<void> {
  await replication.dropSubscription(destination, id)
  await replication.dropStraySlot(source, id)
  await replication.dropPublication(source, id)
}
