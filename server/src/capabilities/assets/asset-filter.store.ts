/**
 * Which assets a list or a search is about. Every combination of filters has statements of its own, so that
 * each asks for no more than it needs and is served by the index made for it.
 */
import { sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { Condition } from '../../platform/db/reading.ts'
import type { Given } from '../../platform/db/statement.ts'
import type { AssetFilter } from './assets.rules.ts'

type InFolder = { readonly folderUuid: FolderUuid }

/** The values of a filter; those that its place and status do not need are never asked for. */
export type FilterValues = InFolder & { readonly status: string }

/** The folder and all beneath it. It ends where the tree does. */
export const subtree = ({ organizationId, folderUuid }: Given<InFolder>) => sql<{
  uuid: FolderUuid
}>`
  with recursive beneath as (
    select uuid from folders where organization_id = ${organizationId} and uuid = ${folderUuid}
    union all
    select child.uuid from beneath join folders as child
      on child.organization_id = ${organizationId} and child.parent_uuid = beneath.uuid
  )
  select uuid from beneath`

const places = {
  anywhere: (): Condition => sql`true`,
  root: (): Condition => sql`folder_uuid is null`,
  folder: ({ folderUuid }: Given<InFolder>): Condition => sql`folder_uuid = ${folderUuid}`,
  subtree: (given: Given<InFolder>): Condition => sql`folder_uuid in (${subtree(given)})`,
}
type PlaceKind = keyof typeof places

const statuses = {
  any: (): Condition => sql`true`,
  one: ({ status }: Given<FilterValues>): Condition => sql`status = ${status}`,
}

/** One kind of filter, as SQL. */
export type FilterSql = {
  readonly place: PlaceKind
  readonly isInPlace: (given: Given<FilterValues>) => Condition
  readonly hasStatus: (given: Given<FilterValues>) => Condition
}

/** Makes something of every kind of filter, and finds the one that a filter needs. */
export function forEachFilter<Made>(make: (filter: FilterSql) => Made) {
  const made = (place: PlaceKind) => ({
    any: make({ place, isInPlace: places[place], hasStatus: statuses.any }),
    one: make({ place, isInPlace: places[place], hasStatus: statuses.one }),
  })
  const all = {
    anywhere: made('anywhere'),
    root: made('root'),
    folder: made('folder'),
    subtree: made('subtree'),
  }
  return ({ place, status }: AssetFilter): Made =>
    all[place.kind][status === undefined ? 'any' : 'one']
}

export function valuesOf({ place, status }: AssetFilter): FilterValues {
  const folder = 'folder' in place ? { folderUuid: place.folder.uuid } : {}
  return { ...folder, ...(status !== undefined && { status }) } as FilterValues
}
