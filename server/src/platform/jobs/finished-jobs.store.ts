/** Attempts at jobs that are over, as the engine keeps them. */
import { sql } from 'kysely'
import type { Database, OrganizationDb } from '../db/database.ts'
import { heldQuery } from '../db/held.ts'
import { type Given, statement } from '../db/statement.ts'

/** Kept for who asks what happened; an id may be promised again after it. */
const KEPT_DAYS = 7

/** Kept for who wants them repeated, once what made them fail is mended. */
const FAILED_KEPT_DAYS = 30

/** A job failed as often as it may, or killed its worker as often as it may. */
export const failedForGood = ['ERROR', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'] as const

export const hasFailed = sql`status in (${sql.join(failedForGood.map((status) => sql.lit(status)))})`

const millisecondsNow = sql`(extract(epoch from now()) * 1000)::bigint`
const daysAgo = (days: number) => sql`${millisecondsNow} - ${sql.lit(days * 86_400_000)}`

// An attempt stays as long as the one that came after it. Otherwise its id could be promised again,
// and the second attempt of that would be taken for the old one.
const forgettable = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status as one
    where completed_at < ${daysAgo(KEPT_DAYS)}
      and (not ${hasFailed} or completed_at < ${daysAgo(FAILED_KEPT_DAYS)})
      and not exists (select from dbos.workflow_status next where next.parent_workflow_id = one.workflow_uuid)
    order by completed_at limit ${limit}`,
)

export async function selectForgettable(database: Database, limit: number): Promise<string[]> {
  return (await database.ask(forgettable({ limit }))).map(({ id }) => id)
}

const firstNote = statement(
  ({ id }: Given<{ id: string }>) => sql<{ isFailure: boolean }>`
    select error is not null as "isFailure" from dbos.operation_outputs
    where workflow_uuid = ${id} and function_id = 0`,
)

/**
 * What a worker noted of an attempt, and died before it had ended: that it failed, or that it is
 * made again after a rest.
 */
export type Note = 'failure' | 'rest' | undefined

/** What there is to know before an attempt is made. */
export async function findStanding(db: OrganizationDb, id: string) {
  const [[note], held] = await db.run(firstNote({ id }), heldQuery({}))
  const noted: Note = note && (note.isFailure ? 'failure' : 'rest')
  return { noted, isHeld: held.length > 0 }
}

/** Its row stays: the id must not be free while the job is done after all. */
const takeBack = statement(
  ({ id }: Given<{ id: string }>) => sql<{ id: string }>`
    update dbos.workflow_status set status = 'CANCELLED', updated_at = ${millisecondsNow}
    where workflow_uuid = ${id} and ${hasFailed}
    returning workflow_uuid as id`,
)

/** Says that a job has not failed for good; false if somebody else was first. */
export async function takeBackFailure(tx: OrganizationDb, id: string): Promise<boolean> {
  const [rows] = await tx.run(takeBack({ id }))
  return rows.length > 0
}

const clock = statement(
  (_: Given<object>) => sql<{ now: string }>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
)

/** By the database's clock, with which the ends of jobs are noted. */
export async function readClock(database: Database): Promise<string | undefined> {
  return (await database.ask(clock({})))[0]?.now
}
