/** Statements on all assets that a bulk operation selects. */
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { customPlan, type Description, type Given, type Query, statement } from '../../../platform/db/statement.ts'
import { allInTrash, allOf, type ConditionName, type FilterValues, readsView } from '../list/asset-filter.store.ts'

/** Which assets an operation selects: the names and the values of conditions that are all true for each of them. */
export type Selection = {
  readonly conditions: readonly ConditionName[]
  readonly values: FilterValues
  readonly exceptIds: readonly AssetId[]
  /** Whether the assets are in the trash; `alone` leaves out those that were deleted with a folder. */
  readonly trash: 'none' | 'alone' | 'all'
  /** Maximum number of assets. One more is selected, so that the caller detects it. */
  readonly limit: number
}

type SelectionValues = FilterValues & Pick<Selection, 'exceptIds' | 'limit'>

/** Bounds the memory for statements. */
const SHAPES_KEPT_MAX = 200

/** Compiles a statement that contains the query for the ids of the selected assets, once per shape of a selection. */
export function overSelected<Params extends object, Row>(
  describe: (given: Given<Params & SelectionValues>, ids: RawBuilder<unknown>) => Description<Row>,
): (selection: Selection, params: Params) => Query<Row> {
  const kept = new LRUCache<string, (params: Params & SelectionValues) => Query<Row>>({ max: SHAPES_KEPT_MAX })
  return (selection, params) => {
    const { conditions, values, exceptIds, trash, limit } = selection
    const key = JSON.stringify([conditions, trash])
    const prepared =
      kept.get(key) ??
      customPlan(statement((given: Given<Params & SelectionValues>) => describe(given, idsOf(selection, given))))
    kept.set(key, prepared)
    return prepared({ ...values, exceptIds, limit, ...params })
  }
}

function idsOf({ conditions, trash }: Selection, given: Given<SelectionValues>): RawBuilder<unknown> {
  const relation = sql.table(readsView(conditions) && trash === 'none' ? 'searchable_assets' : 'assets')
  const isMatch = trash === 'none' ? allOf(conditions, 'find') : allInTrash(conditions)
  const isAlone = trash === 'alone' ? sql`listed.deleted_with is null` : sql`true`
  return sql`
    select id from ${relation} as listed
    where organization_id = ${given.organizationId} and ${isMatch(given)} and ${isAlone}
      and id <> all (${given.exceptIds}::uuid[])
    limit ${given.limit}::integer + 1`
}

/** Number of assets in a preview. */
const SAMPLE_MAX = 10

export type SampledAsset = { readonly id: AssetId; readonly title: string }

type SelectionPreview = { readonly count: number; readonly sample: readonly SampledAsset[] }

const preview = overSelected(
  ({ organizationId }: Given<SelectionValues>, ids) => sql<SelectionPreview>`
    with selected as materialized (${ids})
    select (select count(*) from selected) as count, coalesce((
      select jsonb_agg(jsonb_build_object('id', id, 'title', title) order by id desc) from assets
      where organization_id = ${organizationId}
        and id = any (array(select id from selected order by id desc limit ${sql.lit(SAMPLE_MAX)}))
    ), '[]') as sample`,
)

/** The number of selected assets, and the newest of them. */
export async function selectPreview(db: OrganizationDb, selection: Selection): Promise<SelectionPreview> {
  const query = preview(selection, {})
  const [[row]] = await (selection.trash === 'none' ? db.run(query) : db.withTrash((all) => all.run(query)))
  return row ?? { count: 0, sample: [] }
}
