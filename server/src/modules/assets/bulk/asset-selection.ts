import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { filterOf } from '../list/asset-filter.rules.ts'
import { conditionNames, limitNames, valuesOf } from '../list/asset-filter.store.ts'
import { type AssetQuery, assetFilterOf } from '../list/asset-list.ts'
import { type Selection, selectPreview } from './asset-selection.store.ts'

/** The assets of a bulk operation: those with these ids, or those that match a filter. */
export type SelectionInput = (
  | { readonly ids: readonly string[] }
  | { readonly query: AssetQuery; readonly exceptIds: readonly string[] }
) & {
  /** Whether to select from the trash. */
  readonly isInTrash: boolean
  readonly limit: number
}

/** Throws if the folder of the filter does not exist. */
export async function newSelection(db: OrganizationDb, input: SelectionInput): Promise<Selection> {
  const { isInTrash, limit } = input
  if ('ids' in input) {
    const { limits } = db
    const filter = {
      ...filterOf({ ids: input.ids }),
      location: { kind: 'anywhere' },
      needle: undefined,
      limits,
    } as const
    const trash = isInTrash ? 'all' : 'none'
    return { conditions: [...limitNames(filter), 'ids'], values: valuesOf(filter), exceptIds: [], trash, limit }
  }
  const filter = await assetFilterOf(db, input.query)
  const names = conditionNames(filter)
  return {
    // The trash lists abandoned assets as well.
    conditions: isInTrash ? names.filter((name) => name !== 'kept') : names,
    values: valuesOf(filter),
    exceptIds: input.exceptIds as readonly AssetId[],
    trash: isInTrash ? 'alone' : 'none',
    limit,
  }
}

export const previewSelection = selectPreview
