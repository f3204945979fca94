/**
 * Filters of asset lists and searches. Every combination of filters has its own statements, so that each uses its own
 * index.
 */
import { sql } from 'kysely'
import type { FolderUuid } from '../../../kernel/ids.ts'
import type { Condition } from '../../../platform/db/paging/keyset-query.ts'
import type { Given } from '../../../platform/db/statement.ts'
import type { AssetFilter } from '../assets.rules.ts'

type InFolder = { readonly folderUuid: FolderUuid }

/** Parameters of a filter. Those that its location and status do not need are unset. */
export type FilterValues = InFolder & { readonly status: string }

/** The folder and all folders below it. */
export const subtree = ({ organizationId, folderUuid }: Given<InFolder>) => sql<{
  uuid: FolderUuid
}>`
  with recursive subtree as (
    select uuid from folders where organization_id = ${organizationId} and uuid = ${folderUuid}
    union all
    select child.uuid from subtree join folders as child
      on child.organization_id = ${organizationId} and child.parent_uuid = subtree.uuid
  )
  select uuid from subtree`

const locationConditions = {
  anywhere: (): Condition => sql`true`,
  root: (): Condition => sql`folder_uuid is null`,
  folder: ({ folderUuid }: Given<InFolder>): Condition => sql`folder_uuid = ${folderUuid}`,
  subtree: (given: Given<InFolder>): Condition => sql`folder_uuid in (${subtree(given)})`,
}
type LocationKind = keyof typeof locationConditions

const statuses = {
  any: (): Condition => sql`true`,
  one: ({ status }: Given<FilterValues>): Condition => sql`status = ${status}`,
}

/** The SQL conditions of one kind of asset filter. */
export type FilterSql = {
  readonly location: LocationKind
  readonly isInLocation: (given: Given<FilterValues>) => Condition
  readonly hasStatus: (given: Given<FilterValues>) => Condition
}

/** Calls `build` for every kind of filter and returns a lookup by filter. */
export function forEachFilter<Result>(build: (filter: FilterSql) => Result) {
  const buildBoth = (location: LocationKind) => ({
    any: build({ location, isInLocation: locationConditions[location], hasStatus: statuses.any }),
    one: build({ location, isInLocation: locationConditions[location], hasStatus: statuses.one }),
  })
  const all = {
    anywhere: buildBoth('anywhere'),
    root: buildBoth('root'),
    folder: buildBoth('folder'),
    subtree: buildBoth('subtree'),
  }
  return ({ location, status }: AssetFilter): Result => all[location.kind][status === undefined ? 'any' : 'one']
}

export function valuesOf({ location, status }: AssetFilter): FilterValues {
  const folder = 'folder' in location ? { folderUuid: location.folder.uuid } : {}
  return { ...folder, ...(status !== undefined && { status }) } as FilterValues
}
