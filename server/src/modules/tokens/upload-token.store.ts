/** Upload tokens are stored in their upload sessions, as a hash. */
import { sql } from 'kysely'
import type { TokenId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { absenceQuery } from '../../platform/db/suspension.ts'
import { isLive } from '../grants/grants.ts'

type ByHash = { readonly tokenHash: Buffer }

type LiveUploadToken = {
  readonly uploadSessionUuid: UploadSessionUuid
  /** The API token that created the upload token, and its expiry. */
  readonly id: TokenId
  readonly expiresAt: Timestamp | null
  readonly secondsLeft: number | null
  readonly playbackEpoch: number
}

/**
 * An upload token is valid while its session is open and the API token that created it is valid. After the session has
 * ended, a page can still read the result until the session would have expired. The token is refused while the asset is
 * in the trash.
 */
const liveByHash = statement(
  ({ organizationId, tokenHash }: Given<ByHash>) => sql<LiveUploadToken>`
    select session.uuid as "uploadSessionUuid", tokens.id, least(expires_at, retires_at) as "expiresAt",
      extract(epoch from least(expires_at, retires_at) - now())::float8 as "secondsLeft",
      playback_epoch as "playbackEpoch"
    from (
      select uuid, upload_token_granted_by from upload_sessions
      where organization_id = ${organizationId} and upload_token_hash = ${tokenHash}
        and is_listed and (ended_at is null or expires_at > now())
    ) as session
    join tokens on tokens.organization_id = ${organizationId} and tokens.id = session.upload_token_granted_by
    join organizations on organizations.id = tokens.organization_id
    where ${isLive}`,
)

const removeByHash = dedicatedConnection(
  statement(
    ({ organizationId, tokenHash }: Given<ByHash>) => sql<{ uuid: UploadSessionUuid }>`
      update upload_sessions set upload_token_hash = null, upload_token_granted_by = null
      where organization_id = ${organizationId} and upload_token_hash = ${tokenHash}
      returning uuid`,
  ),
)

/** Finds a live upload token, and whether its organization is absent. */
export async function findLiveUploadToken(db: OrganizationDb, tokenHash: Buffer) {
  const [[token], [absent]] = await db.run(liveByHash({ tokenHash }), absenceQuery({}))
  return { token, absence: absent?.absence }
}

/** Ends an upload token. Returns its session; undefined if no session has the token. */
export async function removeUploadToken(db: OrganizationDb, tokenHash: Buffer): Promise<UploadSessionUuid | undefined> {
  const [[session]] = await db.run(removeByHash({ tokenHash }))
  return session?.uuid
}
