import { type RawBuilder, sql } from 'kysely'
import type { AssetId, TokenId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { recordingIf } from '../events/events.ts'
import type { EndStatus } from './upload-sessions.events.ts'
import type { UploadLimits, UploadSession } from './upload-sessions.rules.ts'

export const columns = sql.raw(`
  uuid, asset_id as "assetId", version_of as "versionOfId", status, error_code as "errorCode", error_detail as "errorDetail",
  max_file_size_bytes as "bytesMax", expires_at as "expiresAt", closes_at as "closesAt",
  multipart_upload_id as "uploadId", multipart_bytes as "partsBytes",
  created_at as "createdAt", ended_at as "endedAt", created_at <= now() - interval '7 days' as "isOld",
  expires_at <= now() as "isExpired", closes_at <= now() as "isClosed", traceparent`)

type BySession = { readonly uuid: UploadSessionUuid }
type Lifetime = Pick<UploadLimits, 'lifetimeSeconds' | 'transferSecondsMax'>

/** `chosen` is the lifetime that the client has chosen for the session, or null. */
const expiry = (chosen: RawBuilder<unknown>, { lifetimeSeconds }: Lifetime) =>
  sql`now() + make_interval(secs => least(${chosen}, ${lifetimeSeconds}::bigint))`
const closesAt = (chosen: RawBuilder<unknown>, life: Lifetime) =>
  sql`${expiry(chosen, life)} + make_interval(secs => ${life.transferSecondsMax})`

export type NewSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  readonly bytesMax: number
  /** Null for the service's setting. */
  readonly chosenLifetimeSeconds: number | null
  /** Hash of the upload token and the API token that created it; null without an upload token. */
  readonly uploadTokenHash: Buffer | null
  readonly uploadTokenGrantedBy: TokenId | null
  readonly traceparent: string | null
} & Omit<UploadLimits, 'formBytesMax' | 'partsBytesMax'>

/** A session with the database's current time, which signatures use. */
export type SignableSession = UploadSession & { readonly now: Timestamp }

/** Inserts nothing if the asset was not inserted in the same round trip. */
export const insertForAsset = statement((session: Given<NewSession>) => {
  const chosen = sql`${session.chosenLifetimeSeconds}::bigint`
  return sql<SignableSession>`
    insert into upload_sessions
      (organization_id, uuid, asset_id, max_file_size_bytes, lifetime_seconds, upload_token_hash,
       upload_token_granted_by, expires_at, closes_at, look_at, traceparent, version_of)
    select ${session.organizationId}, ${session.uuid}, id, ${session.bytesMax}, ${chosen},
      ${session.uploadTokenHash}::bytea, ${session.uploadTokenGrantedBy}::uuid,
      ${expiry(chosen, session)}, ${closesAt(chosen, session)},
      least(now() + make_interval(secs => ${session.firstCheckSeconds}), ${closesAt(chosen, session)}),
      ${session.traceparent}, version_of
    from assets where organization_id = ${session.organizationId} and id = ${session.assetId}
    returning ${columns}, now() as now`
})

/** Records events only if the session was inserted in the same round trip. */
export const recordingIfInserted = recordingIf(
  ({ organizationId, uuid }: Given<BySession>) => sql`exists (
    select from upload_sessions where organization_id = ${organizationId} and uuid = ${uuid})`,
)

const byUuid = statement(
  ({ organizationId, uuid }: Given<BySession>) => sql<SignableSession>`
    select ${columns}, now() as now from upload_sessions
    where organization_id = ${organizationId} and uuid = ${uuid}`,
)

/** Locks the asset first, in the same order as the deletion of an asset, to avoid deadlocks. */
const lock = dedicatedConnection(
  statement(
    ({ organizationId, uuid }: Given<BySession>) => sql<SignableSession>`
      with asset as materialized (
        select id from assets
        where organization_id = ${organizationId} and id = (
          select asset_id from upload_sessions
          where organization_id = ${organizationId} and uuid = ${uuid}
        )
        for no key update
      )
      select ${columns}, now() as now from upload_sessions
      where organization_id = ${organizationId} and uuid = ${uuid}
        and asset_id in (select id from asset)
      for update of upload_sessions`,
  ),
)

/** Deadline for the upload of an asset's file. */
export const closesAtOf = statement(
  ({ organizationId, assetId }: Given<{ assetId: AssetId }>) => sql<{ until: Timestamp }>`
    select closes_at as until from upload_sessions
    where organization_id = ${organizationId} and asset_id = ${assetId}`,
)

/**
 * Ends a session and schedules another check, because its form stays usable for a while. The check deletes later files;
 * it is due at once if there are some already (`hasLeftovers`), and in a minute while the form is valid. For an expired
 * session it looks for a late upload.
 */
export const endSessionQuery = statement(
  ({ organizationId, uuid, status, code, detail, hasLeftovers }: Given<BySession & SessionEnd>) => sql`
    update upload_sessions set status = ${status}, ended_at = now(),
      error_code = ${code}, error_detail = ${detail},
      look_at = case
        when ${hasLeftovers} then now()
        when expires_at > now() then least(closes_at, now() + interval '1 minute')
        else greatest(closes_at, now()) end
    where organization_id = ${organizationId} and uuid = ${uuid}`,
)

export type SessionEnd = {
  readonly status: EndStatus
  readonly code: string | null
  readonly detail: string | null
  readonly hasLeftovers: boolean
}

const ownLifetime = sql`lifetime_seconds`

const extend = statement(
  (given: Given<BySession & Lifetime>) => sql<SignableSession>`
    update upload_sessions
    set expires_at = ${expiry(ownLifetime, given)}, closes_at = ${closesAt(ownLifetime, given)}
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}
    returning ${columns}, now() as now`,
)

const beginParts = dedicatedConnection(
  statement(
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
  ),
)

export async function findSession(db: OrganizationDb, uuid: UploadSessionUuid): Promise<SignableSession | undefined> {
  const [[session]] = await db.run(byUuid({ uuid }))
  return session
}

/** Locks the session until the transaction ends. */
export async function lockSession(tx: OrganizationDb, uuid: UploadSessionUuid): Promise<SignableSession | undefined> {
  const [[session]] = await tx.run(lock({ uuid }))
  return session
}

export async function extendSession(
  tx: OrganizationDb,
  uuid: UploadSessionUuid,
  life: Lifetime,
): Promise<SignableSession | undefined> {
  const [[session]] = await tx.run(extend({ uuid, ...life }))
  return session
}

/** Stores the multipart upload. Undefined if another request was first or the session is no longer `Created`. */
export async function setUploadInParts(
  db: OrganizationDb,
  uuid: UploadSessionUuid,
  upload: { readonly uploadId: string; readonly fileBytes: number },
): Promise<UploadSession | undefined> {
  const [[session]] = await db.run(beginParts({ uuid, ...upload }))
  return session
}
