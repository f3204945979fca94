/** Scheduling of the sweep: `look_at` is the time of the next check. */
import { sql } from 'kysely'
import type { OrganizationId, UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { UploadLimits, UploadSession } from '../upload-sessions.rules.ts'
import { columns } from '../upload-sessions.store.ts'

type BySession = { readonly uuid: UploadSessionUuid }
type CheckTimes = Pick<UploadLimits, 'firstCheckSeconds' | 'checkSecondsMax'>

/** Next check: after the session's current age or the maximum, whichever is shorter; at the latest when it closes. */
const nextCheckOpen = ({ firstCheckSeconds, checkSecondsMax }: CheckTimes) => sql`
  least(
    now() + least(
      greatest(make_interval(secs => ${firstCheckSeconds}), now() - created_at),
      make_interval(secs => ${checkSecondsMax})
    ),
    greatest(closes_at, now() + make_interval(secs => ${firstCheckSeconds}))
  )`

/** When the asset of a session that ended without a file is deleted. */
const deletesAt = ({ organizationId }: Given<object>) => sql`
  greatest(closes_at, ended_at + make_interval(days => (
    select abandoned_days::integer from organizations where id = ${organizationId})))`

/**
 * Time of the next check for a late upload: when the time since the closing has doubled, for a week. The last check is
 * when the asset is deleted.
 */
const nextCheckExpired = (given: Given<object>) => sql`
  least(
    case when closes_at > now() - interval '7 days'
      then now() + least(greatest(interval '1 minute', now() - closes_at), interval '1 day')
    end,
    case when ${deletesAt(given)} > now() then ${deletesAt(given)} end
  )`

/** A due session, and the time to which its claim has postponed the next check. */
export type ClaimedSession = UploadSession & {
  readonly nextCheckAt: Timestamp | null
  /** The session ended without a file, and its asset is due for deletion. */
  readonly isAbandoned: boolean
}

/** Claims a due session by postponing its next check: a concurrent claim finds that it is no longer due. */
const claim = dedicatedConnection(
  statement(
    (given: Given<BySession & CheckTimes>) => sql<ClaimedSession>`
      update upload_sessions set look_at = case
        when status in ('Created', 'Uploading') then ${nextCheckOpen(given)}
        when status = 'Expired' then ${nextCheckExpired(given)}
        else now() + interval '1 minute' end
      where organization_id = ${given.organizationId} and uuid = ${given.uuid} and look_at <= now()
      returning ${columns}, look_at as "nextCheckAt",
        status in ('Expired', 'Cancelled', 'Failed') and ${deletesAt(given)} <= now() as "isAbandoned"`,
  ),
)

/**
 * After a cleanup, schedules the next check of an ended session: its form can still be posted until it expires, and the
 * last upload ends when the session closes. After that, the only check is the one that deletes the asset of a session
 * without a file. If another check was requested, it stays due.
 */
const reschedule = dedicatedConnection(
  statement(
    (given: Given<BySession & Cleaned>) => sql`
      update upload_sessions set look_at = case
        when ${given.isFinal}::boolean
          then case when status <> 'Completed' and ${deletesAt(given)} > now() then ${deletesAt(given)} end
        when expires_at > now() then least(closes_at, now() + make_interval(secs => ${given.checkSecondsMax}))
        else closes_at end
      where organization_id = ${given.organizationId} and uuid = ${given.uuid}
        and look_at is not distinct from ${given.claimedAt}::timestamptz`,
  ),
)

type Cleaned = Pick<UploadLimits, 'checkSecondsMax'> & {
  /** The session is closed, so nothing more can arrive. */
  readonly isFinal: boolean
  readonly claimedAt: Timestamp | null
}

const checkSoon = dedicatedConnection(
  statement(
    ({ organizationId, uuid, seconds }: Given<BySession & { seconds: number }>) => sql`
      update upload_sessions set look_at = least(look_at, now() + make_interval(secs => ${seconds}))
      where organization_id = ${organizationId} and uuid = ${uuid}`,
  ),
)

export type DueSession = {
  readonly organizationId: OrganizationId
  readonly uuid: UploadSessionUuid
}

/** Due sessions of all organizations. A view shows the worker role only their ids. */
const due = statement(
  ({ limit }: Given<{ limit: number }>) => sql<DueSession>`
    select organization_id as "organizationId", uuid from due_upload_sessions
    order by look_at limit ${limit}`,
)

const longestDue = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(look_at)), 0)::float8 as seconds
    from due_upload_sessions`,
  ),
)

export const selectDue = (database: Database, limit: number): Promise<DueSession[]> =>
  database.runUnscoped(due({ limit }))

export async function overdueSeconds(database: Database): Promise<number> {
  const [row] = await database.runUnscoped(longestDue({}))
  return row?.seconds ?? 0
}

/** Undefined if another worker claimed the session or it was deleted. */
export async function claimDue(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  { firstCheckSeconds, checkSecondsMax }: CheckTimes,
): Promise<ClaimedSession | undefined> {
  const [[session]] = await db.run(claim({ uuid, firstCheckSeconds, checkSecondsMax }))
  return session
}

export async function rescheduleCleaned(db: OrganizationDb, uuid: UploadSessionUuid, cleaned: Cleaned): Promise<void> {
  await db.run(reschedule({ uuid, ...cleaned }))
}

const RETRY_SECONDS = 15

/** Schedules the next check soon, after a failed one. */
export async function checkAgainSoon(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await db.run(checkSoon({ uuid, seconds: RETRY_SECONDS }))
}

/** Lets the next sweep check the session. */
export async function checkNow(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await db.run(checkSoon({ uuid, seconds: 0 }))
}
