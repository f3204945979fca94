import { sql } from 'kysely'
import type { UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { UploadSession } from '../upload-sessions.rules.ts'
import { columns } from '../upload-sessions.store.ts'

// An expired session still accepts a file that storage had accepted in time.
const mayReceiveFile = sql`status in ('Created', 'Uploading', 'Expired') and closes_at > now()`

const newest = dedicatedConnection(
  statement(
    (given: Given<object>) => sql<{ at: Timestamp | null }>`
      select max(created_at) as at from upload_sessions
      where organization_id = ${given.organizationId} and ${mayReceiveFile}`,
  ),
)

/** Creation time of the newest session whose file may still arrive; null if there is none. */
export async function selectNewestReachable(db: OrganizationDb): Promise<Timestamp | null> {
  const [[row]] = await db.run(newest({}))
  return row?.at ?? null
}

type ReachablePage = {
  readonly createdUntil: Timestamp
  readonly after: UploadSessionUuid | null
  readonly limit: number
}

const reachable = dedicatedConnection(
  statement(
    (given: Given<ReachablePage>) => sql<UploadSession>`
      select ${columns} from upload_sessions
      where organization_id = ${given.organizationId} and ${mayReceiveFile}
        and created_at <= ${given.createdUntil}
        and uuid > coalesce(${given.after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by uuid limit ${given.limit}`,
  ),
)

/** Sessions whose file may still arrive, ordered by uuid. */
export async function selectReachable(db: OrganizationDb, page: ReachablePage): Promise<readonly UploadSession[]> {
  const [rows] = await db.run(reachable(page))
  return rows
}

const replaceUpload = statement(
  (given: Given<{ uuid: UploadSessionUuid; before: string; uploadId: string }>) => sql`
    update upload_sessions set multipart_upload_id = ${given.uploadId}
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}
      and multipart_upload_id = ${given.before}`,
)

export async function updateUploadId(
  db: OrganizationDb,
  given: { readonly uuid: UploadSessionUuid; readonly before: string; readonly uploadId: string },
): Promise<void> {
  await db.run(replaceUpload(given))
}
