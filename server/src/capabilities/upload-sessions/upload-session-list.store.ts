import { type RawBuilder, sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import { type Found, type Order, readingOf, toFound } from '../../platform/db/reading.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Status, UploadSession } from './upload-sessions.rules.ts'
import { columns } from './upload-sessions.store.ts'

type ByStatus = { readonly status: Status }
type Condition<Params> = (given: Given<Params>) => RawBuilder<boolean>

/** Newest first: uuids are made in the order of time. */
const newestFirst: Order = { columns: ['uuid'], direction: 'desc' }

const listWhere = <Params extends object>(isWanted: Condition<Params>) => ({
  read: readingOf(
    newestFirst,
    (given: Given<Params>, { isAhead, order, limit }) => sql<UploadSession>`
      select ${columns} from upload_sessions
      where organization_id = ${given.organizationId} and ${isWanted(given)} and ${isAhead}
      ${order} limit ${limit}`,
  ),
  count: takesLong(
    statement(
      (given: Given<Params>) => sql<{ count: number }>`
        select count(*) as count from upload_sessions
        where organization_id = ${given.organizationId} and ${isWanted(given)}`,
    ),
  ),
})

const all = listWhere(() => sql`true`)
const ofStatus = listWhere<ByStatus>(({ status }) => sql`status = ${status}`)

export async function selectSessions(
  db: OrganizationDb,
  status: Status | undefined,
  request: PageRequest,
): Promise<Found<UploadSession>> {
  if (status === undefined) return toFound(await db.run(all.read({}, request), all.count({})))
  return toFound(await db.run(ofStatus.read({ status }, request), ofStatus.count({ status })))
}
