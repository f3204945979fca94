import { type RawBuilder, sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type Order, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Status, UploadSession } from './upload-sessions.rules.ts'
import { columns } from './upload-sessions.store.ts'

type ByStatus = { readonly status: Status }
type Condition<Params> = (given: Given<Params>) => RawBuilder<boolean>

/** Newest first: uuids are UUIDv7. */
const newestFirst: Order = { columns: ['uuid'], direction: 'desc' }

const listWhere = <Params extends object>(isWanted: Condition<Params>) => ({
  read: keysetQuery(
    newestFirst,
    (given: Given<Params>, { afterPosition, order, limit }) => sql<UploadSession>`
      select ${columns} from upload_sessions
      where organization_id = ${given.organizationId} and ${isWanted(given)} and ${afterPosition}
      ${order} limit ${limit}`,
  ),
  count: dedicatedConnection(
    statement(
      (given: Given<Params>) => sql<{ count: number }>`
        select count(*) as count from upload_sessions
        where organization_id = ${given.organizationId} and ${isWanted(given)}`,
    ),
  ),
})

/** For limited principals. The view finds the sessions inside the limits at once. */
const limitedListWhere = <Params extends object>(isWanted: Condition<Params>) => ({
  read: dedicatedConnection(
    keysetQuery(
      newestFirst,
      (given: Given<Params>, { afterPosition, order, limit }) => sql<UploadSession>`
        select ${columns} from upload_sessions
        where organization_id = ${given.organizationId} and uuid in (
          select uuid from uploads_in_limits
          where organization_id = ${given.organizationId} and ${isWanted(given)} and ${afterPosition}
          ${order} limit ${limit})
        ${order}`,
    ),
  ),
  count: dedicatedConnection(
    statement(
      (given: Given<Params>) => sql<{ count: number }>`
        select count(*) as count from uploads_in_limits
        where organization_id = ${given.organizationId} and ${isWanted(given)}`,
    ),
  ),
})

const all = listWhere(() => sql`true`)
const ofStatus = listWhere<ByStatus>(({ status }) => sql`status = ${status}`)

const allInLimits = limitedListWhere(() => sql`true`)
const ofStatusInLimits = limitedListWhere<ByStatus>(({ status }) => sql`status = ${status}`)

export async function selectSessions(
  db: OrganizationDb,
  status: Status | undefined,
  request: PageRequest,
): Promise<RowsWithCount<UploadSession>> {
  if (status === undefined) {
    const list = db.limits ? allInLimits : all
    return toRowsWithCount(await db.run(list.read({}, request), list.count({})))
  }
  const list = db.limits ? ofStatusInLimits : ofStatus
  return toRowsWithCount(await db.run(list.read({ status }, request), list.count({ status })))
}
