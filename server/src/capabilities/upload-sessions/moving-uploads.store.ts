import { sql } from 'kysely'
import type { UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { UploadSession } from './upload-sessions.rules.ts'
import { columns } from './upload-sessions.store.ts'

// An expired one still takes a file that storage had accepted in time.
const mayTakeFile = sql`status in ('Created', 'Uploading', 'Expired') and closes_at > now()`

const newest = takesLong(
  statement(
    (given: Given<object>) => sql<{ at: Timestamp | null }>`
      select max(created_at) as at from upload_sessions
      where organization_id = ${given.organizationId} and ${mayTakeFile}`,
  ),
)

/** When the youngest session began of which a file may still arrive; null if there is none. */
export async function selectNewestReachable(db: OrganizationDb): Promise<Timestamp | null> {
  const [[row]] = await db.run(newest({}))
  return row?.at ?? null
}

type Stretch = {
  readonly bornUntil: Timestamp
  readonly after: UploadSessionUuid | null
  readonly limit: number
}

const reachable = takesLong(
  statement(
    (given: Given<Stretch>) => sql<UploadSession>`
      select ${columns} from upload_sessions
      where organization_id = ${given.organizationId} and ${mayTakeFile}
        and created_at <= ${given.bornUntil}
        and uuid > coalesce(${given.after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by uuid limit ${given.limit}`,
  ),
)

/** Sessions of which a file may still arrive, by their ids. */
export async function selectReachable(
  db: OrganizationDb,
  stretch: Stretch,
): Promise<readonly UploadSession[]> {
  const [rows] = await db.run(reachable(stretch))
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
