import { sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import { TREE_CHILDREN_MAX, TREE_NODES_MAX, type TreeRow } from './folder-tree.rules.ts'

/** Room for every node, and for the one child more of each that shows that there is more. */
const ROWS_MAX = 2 * TREE_NODES_MAX

/**
 * Level by level, so that the limit cuts the deepest level and not the last branch. In each folder one
 * child more is read than is shown, and one level more, of which one child is enough.
 */
const treeRows = statement(
  ({
    organizationId,
    parentUuid,
    depthMax,
  }: Given<{ parentUuid: FolderUuid | null; depthMax: number }>) => sql<TreeRow>`
    with recursive tree as (
      (
        select uuid, title, parent_uuid, 1 as depth
        from folders
        where organization_id = ${organizationId} and parent_uuid is not distinct from ${parentUuid}::text
        order by title, uuid limit ${sql.lit(TREE_CHILDREN_MAX + 1)}
      )
      union all
      select child.uuid, child.title, child.parent_uuid, tree.depth + 1
      from tree cross join lateral (
        select uuid, title, parent_uuid
        from folders
        where organization_id = ${organizationId} and parent_uuid = tree.uuid
        order by title, uuid
        limit case when tree.depth < ${depthMax}::integer then ${sql.lit(TREE_CHILDREN_MAX + 1)} else 1 end
      ) as child
      where tree.depth <= ${depthMax}::integer
    ),
    bounded as materialized (select uuid, title, parent_uuid, depth from tree limit ${sql.lit(ROWS_MAX)})
    select uuid, title, parent_uuid as "parentUuid", depth from bounded order by depth, title, uuid`,
)

export async function selectTree(
  db: OrganizationDb,
  parentUuid: FolderUuid | null,
  depthMax: number,
): Promise<TreeRow[]> {
  const [rows] = await db.run(treeRows({ parentUuid, depthMax }))
  return rows
}
