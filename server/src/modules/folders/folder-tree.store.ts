import { type RawBuilder, sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { TREE_CHILDREN_MAX, TREE_NODES_MAX, type TreeRow } from './folder-tree.rules.ts'

type DepthLimit = { readonly depthMax: number }

/**
 * Reads level by level, so that the limit cuts the deepest level and not the last branch. Counts at most one more
 * child per folder than is shown.
 */
const treeRows = ({ organizationId, depthMax }: Given<DepthLimit>, isAtTop: RawBuilder<boolean>) => sql<TreeRow>`
  with recursive tree as (
    (
      select uuid, title, parent_uuid, 1 as depth
      from folders
      where organization_id = ${organizationId} and ${isAtTop}
      order by title collate natural_order, uuid limit ${sql.lit(TREE_CHILDREN_MAX)}
    )
    union all
    select child.uuid, child.title, child.parent_uuid, tree.depth + 1
    from tree cross join lateral (
      select uuid, title, parent_uuid
      from folders
      where organization_id = ${organizationId} and parent_uuid = tree.uuid
      order by title collate natural_order, uuid limit ${sql.lit(TREE_CHILDREN_MAX)}
    ) as child
    where tree.depth < ${depthMax}::integer
  ),
  shown as materialized (
    select uuid, title, parent_uuid, depth from tree limit ${sql.lit(TREE_NODES_MAX)}
  )
  select shown.uuid, shown.title, shown.parent_uuid as "parentUuid", shown.depth,
    children.count as "childrenFound"
  from shown cross join lateral (
    select count(*) as count from (
      select from folders
      where organization_id = ${organizationId} and parent_uuid = shown.uuid
      limit ${sql.lit(TREE_CHILDREN_MAX + 1)}
    ) as some_children
  ) as children
  order by shown.depth, shown.title collate natural_order, shown.uuid`

const treeFromRoot = dedicatedConnection(
  statement((given: Given<DepthLimit>) => treeRows(given, sql`parent_uuid is null`)),
)

/** The folder that a principal is limited to is the root of what it sees. */
const treeFromLimit = dedicatedConnection(
  statement((given: Given<DepthLimit & { limitUuid: FolderUuid }>) => treeRows(given, sql`uuid = ${given.limitUuid}`)),
)

const treeFromFolder = dedicatedConnection(
  statement((given: Given<DepthLimit & { parentUuid: FolderUuid }>) =>
    treeRows(given, sql`parent_uuid = ${given.parentUuid}`),
  ),
)

export async function selectTree(
  db: OrganizationDb,
  parentUuid: FolderUuid | null,
  depthMax: number,
): Promise<TreeRow[]> {
  const limitUuid = db.limits?.folderUuid
  if (parentUuid !== null) return (await db.run(treeFromFolder({ depthMax, parentUuid })))[0]
  if (limitUuid === undefined) return (await db.run(treeFromRoot({ depthMax })))[0]
  const [rows] = await db.run(treeFromLimit({ depthMax, limitUuid }))
  return rows.map((row) => (row.uuid === limitUuid ? { ...row, parentUuid: null } : row))
}
