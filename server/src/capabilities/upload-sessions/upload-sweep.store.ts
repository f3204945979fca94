/** When the sweep is to look at a session next. */
import { sql } from 'kysely'
import type { OrganizationId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { UploadLimits, UploadSession } from './upload-sessions.rules.ts'
import { columns } from './upload-sessions.store.ts'

type BySession = { readonly uuid: UploadSessionUuid }
type FirstLook = Pick<UploadLimits, 'firstLookSeconds'>

/** As often as its age doubles, but at least every quarter of an hour; and as soon as it closes. */
const nextLookOpen = ({ firstLookSeconds }: FirstLook) => sql`
  least(
    now() + least(
      greatest(make_interval(secs => ${firstLookSeconds}), now() - created_at),
      interval '15 minutes'
    ),
    greatest(closes_at, now() + make_interval(secs => ${firstLookSeconds}))
  )`

/** For an upload that turns up late: as often as the time since it closed doubles, for a week. */
const nextLookExpired = sql`
  case when closes_at > now() - interval '7 days'
    then now() + least(greatest(interval '1 minute', now() - closes_at), interval '1 day')
  end`

/** Takes a due session for oneself: whoever comes second finds that it is no longer due. */
const claim = takesLong(
  statement(
    (given: Given<BySession & FirstLook>) => sql<UploadSession>`
      update upload_sessions set look_at = case
        when status in ('Created', 'Uploading') then ${nextLookOpen(given)}
        when status = 'Expired' then ${nextLookExpired}
        else now() + interval '1 minute' end
      where organization_id = ${given.organizationId} and uuid = ${given.uuid} and look_at <= now()
      returning ${columns}`,
  ),
)

/** What an ended session left in storage is freed; once its form is good for nothing, for good. */
const rest = takesLong(
  statement(
    ({ organizationId, uuid, isForGood }: Given<BySession & { isForGood: boolean }>) => sql`
      update upload_sessions
      set look_at = case when ${isForGood}::boolean then null else closes_at end
      where organization_id = ${organizationId} and uuid = ${uuid}`,
  ),
)

const lookSoon = takesLong(
  statement(
    ({ organizationId, uuid }: Given<BySession>) => sql`
      update upload_sessions set look_at = least(look_at, now() + interval '15 seconds')
      where organization_id = ${organizationId} and uuid = ${uuid}`,
  ),
)

export type DueSession = {
  readonly organizationId: OrganizationId
  readonly uuid: UploadSessionUuid
}

/** Of whatever organization: a view tells the worker which, and nothing else of them. */
const due = statement(
  ({ limit }: Given<{ limit: number }>) => sql<DueSession>`
    select organization_id as "organizationId", uuid from due_upload_sessions
    order by look_at limit ${limit}`,
)

const longestDue = takesLong(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(look_at)), 0)::float8 as seconds
    from due_upload_sessions`,
  ),
)

export const selectDue = (database: Database, limit: number): Promise<DueSession[]> =>
  database.ask(due({ limit }))

export async function overdueSeconds(database: Database): Promise<number> {
  const [row] = await database.ask(longestDue({}))
  return row?.seconds ?? 0
}

/** Undefined when somebody else has taken it, or it is gone. */
export async function claimDue(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  { firstLookSeconds }: FirstLook,
): Promise<UploadSession | undefined> {
  const [[session]] = await db.run(claim({ uuid, firstLookSeconds }))
  return session
}

export async function restSession(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  isForGood: boolean,
): Promise<void> {
  await db.run(rest({ uuid, isForGood }))
}

/** After a look that failed. */
export async function lookAgainSoon(db: OrganizationDb, uuid: UploadSessionUuid): Promise<void> {
  await db.run(lookSoon({ uuid }))
}
