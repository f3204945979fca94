import { sql } from 'kysely'
import type { AssetId, OrganizationId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Status, UploadLimits, UploadSession } from './upload-sessions.rules.ts'

export const columns = sql.raw(`
  uuid, asset_id as "assetId", status, error_code as "errorCode", error_detail as "errorDetail",
  max_file_size_bytes as "bytesMax", expires_at as "expiresAt", closes_at as "closesAt",
  multipart_upload_id as "uploadId", multipart_bytes as "partsBytes",
  created_at as "createdAt", ended_at as "endedAt",
  expires_at <= now() as "isExpired", closes_at <= now() as "isClosed"`)

type BySession = { readonly uuid: UploadSessionUuid }
type Lifetime = Pick<UploadLimits, 'lifetimeSeconds' | 'transferSecondsMax'>

const expiry = ({ lifetimeSeconds }: Lifetime) =>
  sql`now() + make_interval(secs => ${lifetimeSeconds})`
const closing = (life: Lifetime) =>
  sql`${expiry(life)} + make_interval(secs => ${life.transferSecondsMax})`

export type NewSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  readonly bytesMax: number
} & Omit<UploadLimits, 'formBytesMax' | 'partsBytesMax'>

/** A session and the database's time, which is the one that signatures carry. */
export type SignableSession = UploadSession & { readonly now: Timestamp }

/** Writes nothing when the asset, in the same round trip, was not written. */
export const insertForAsset = statement(
  (session: Given<NewSession>) => sql<SignableSession>`
    insert into upload_sessions
      (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at, look_at)
    select ${session.organizationId}, ${session.uuid}, id, ${session.bytesMax},
      ${expiry(session)}, ${closing(session)},
      least(now() + make_interval(secs => ${session.firstLookSeconds}), ${closing(session)})
    from assets where organization_id = ${session.organizationId} and id = ${session.assetId}
    returning ${columns}, now() as now`,
)

const byUuid = statement(
  ({ organizationId, uuid }: Given<BySession>) => sql<SignableSession>`
    select ${columns}, now() as now from upload_sessions
    where organization_id = ${organizationId} and uuid = ${uuid}`,
)

/**
 * Its asset first: whoever deletes that takes the session after it, and two who take them in another order
 * would wait for each other.
 */
const lock = takesLong(
  statement(
    ({ organizationId, uuid }: Given<BySession>) => sql<UploadSession>`
      with asset as materialized (
        select id from assets
        where organization_id = ${organizationId} and id = (
          select asset_id from upload_sessions
          where organization_id = ${organizationId} and uuid = ${uuid}
        )
        for no key update
      )
      select ${columns} from upload_sessions
      where organization_id = ${organizationId} and uuid = ${uuid}
        and asset_id in (select id from asset)
      for update of upload_sessions`,
  ),
)

/** When the wait for an asset's file ends. */
export const closingOf = statement(
  ({ organizationId, assetId }: Given<{ assetId: AssetId }>) => sql<{ until: Timestamp }>`
    select closes_at as until from upload_sessions
    where organization_id = ${organizationId} and asset_id = ${assetId}`,
)

/**
 * An ended session is looked at again, to free what was posted with its form afterwards: at once if it left
 * something behind, else when its form is no longer good for anything. One that expired is looked at for an
 * upload that turns up late.
 */
const end = statement(
  ({
    organizationId,
    uuid,
    status,
    code,
    detail,
    isToBeFreed,
  }: Given<BySession & Ending>) => sql<UploadSession>`
    update upload_sessions set status = ${status}, ended_at = now(),
      error_code = ${code}, error_detail = ${detail},
      look_at = case when ${isToBeFreed} then now() else greatest(closes_at, now()) end
    where organization_id = ${organizationId} and uuid = ${uuid}
    returning ${columns}`,
)

type Ending = {
  readonly status: Status
  readonly code: string | null
  readonly detail: string | null
  readonly isToBeFreed: boolean
}

const extend = statement(
  (given: Given<BySession & Lifetime>) => sql<SignableSession>`
    update upload_sessions set expires_at = ${expiry(given)}, closes_at = ${closing(given)}
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}
    returning ${columns}, now() as now`,
)

const beginParts = statement(
  ({
    organizationId,
    uuid,
    uploadId,
    fileBytes,
  }: Given<BySession & { uploadId: string; fileBytes: number }>) => sql<UploadSession>`
    update upload_sessions
    set status = 'Uploading', multipart_upload_id = ${uploadId}, multipart_bytes = ${fileBytes}
    where organization_id = ${organizationId} and uuid = ${uuid}
      and multipart_upload_id is null and status = 'Created'
    returning ${columns}`,
)

/** As often as its age doubles, but at least every quarter of an hour; and as soon as it closes. */
const nextLookOpen = ({ firstLookSeconds }: Pick<UploadLimits, 'firstLookSeconds'>) => sql`
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
const claim = statement(
  (given: Given<BySession & Pick<UploadLimits, 'firstLookSeconds'>>) => sql<UploadSession>`
    update upload_sessions set look_at = case
      when status in ('Created', 'Uploading') then ${nextLookOpen(given)}
      when status = 'Expired' then ${nextLookExpired}
      else now() + interval '1 minute' end
    where organization_id = ${given.organizationId} and uuid = ${given.uuid} and look_at <= now()
    returning ${columns}`,
)

/** What an ended session left in storage is freed; once its form is good for nothing, for good. */
const rest = statement(
  ({ organizationId, uuid, isForGood }: Given<BySession & { isForGood: boolean }>) => sql`
    update upload_sessions set look_at = case when ${isForGood}::boolean then null else closes_at end
    where organization_id = ${organizationId} and uuid = ${uuid}`,
)

const lookSoon = statement(
  ({ organizationId, uuid }: Given<BySession>) => sql`
    update upload_sessions set look_at = least(look_at, now() + interval '15 seconds')
    where organization_id = ${organizationId} and uuid = ${uuid}`,
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

const longestDue = statement(
  (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(look_at)), 0)::float8 as seconds
    from due_upload_sessions`,
)

export async function overdueSeconds(database: Database): Promise<number> {
  const [row] = await database.ask(longestDue({}))
  return row?.seconds ?? 0
}

export async function findSession(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<SignableSession | undefined> {
  const [[session]] = await db.run(byUuid({ uuid }))
  return session
}

/** Nobody else changes it until the transaction ends. */
export async function lockSession(
  tx: OrganizationDb,
  uuid: UploadSessionUuid,
): Promise<UploadSession | undefined> {
  const [[session]] = await tx.run(lock({ uuid }))
  return session
}

export async function endSession(
  tx: OrganizationDb,
  uuid: UploadSessionUuid,
  ending: Ending,
): Promise<void> {
  await tx.run(end({ uuid, ...ending }))
}

export async function extendSession(
  tx: OrganizationDb,
  uuid: UploadSessionUuid,
  life: Lifetime,
): Promise<SignableSession | undefined> {
  const [[session]] = await tx.run(extend({ uuid, ...life }))
  return session
}

/** Undefined when somebody else was first, or the session is no longer waiting for its first part. */
export async function setUploadInParts(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  upload: { readonly uploadId: string; readonly fileBytes: number },
): Promise<UploadSession | undefined> {
  const [[session]] = await db.run(beginParts({ uuid, ...upload }))
  return session
}

export const selectDue = (database: Database, limit: number): Promise<DueSession[]> =>
  database.ask(due({ limit }))

/** Undefined when somebody else has taken it, or it is gone. */
export async function claimDue(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  limits: Pick<UploadLimits, 'firstLookSeconds'>,
): Promise<UploadSession | undefined> {
  const [[session]] = await db.run(claim({ uuid, firstLookSeconds: limits.firstLookSeconds }))
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
