import type { OrganizationId } from '../../kernel/ids.ts'
import { type Buckets, openBuckets } from '../../maintenance/buckets.ts'
import { organizationState } from '../../modules/suspension/suspension.ts'
import { Database } from '../../platform/db/database.ts'
import type { CellName } from '../directory.rules.ts'
import type { Placement } from '../placement.ts'

/** A cell opened for a migration: its database, without row-level security, and its storage. */
export type OpenCell = AsyncDisposable & {
  readonly name: CellName
  readonly placement: Placement
  readonly database: Database
  readonly buckets: Buckets
}

export const stateIn = ({ database }: Pick<OpenCell, 'database'>, id: OrganizationId) =>
  organizationState(database.forOrganization(id))

const CONNECTIONS_MAX = 8

/** Time limit of a statement. Creating a subscription waits for the running transactions of the other database. */
const STATEMENT_SECONDS_MAX = 600

export function openCell(placement: Placement): OpenCell {
  const { name, cell } = placement
  const database = new Database(
    {
      url: cell.database,
      connectionsMax: CONNECTIONS_MAX,
      statementTimeoutSeconds: STATEMENT_SECONDS_MAX,
    },
    () => {},
  )
  const buckets = openBuckets(cell.storage)
  return {
    ...{ name, placement, database, buckets },
    [Symbol.asyncDispose]: async () => {
      buckets[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
