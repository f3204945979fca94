import type { FolderUuid } from '../../kernel/ids.ts'

/** As much of a tree as a person takes in at once, and as one answer should carry. */
export const TREE_NODES_MAX = 1000
export const TREE_CHILDREN_MAX = 100

/** A folder as the database finds it, level by level, with one child more than is shown. */
export type TreeRow = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly depth: number
}

export type TreeNode = TreeRow & { readonly hasMore: boolean }

/**
 * Lays the rows out in the order in which a tree is drawn: each folder followed by what lies in it.
 * Rows come level by level and ordered by title within a folder; those beyond a limit, or deeper than
 * `depthMax`, only show that there is more.
 */
export function toTree(rows: readonly TreeRow[], depthMax: number): TreeNode[] {
  const shown = rows.filter(({ depth }) => depth <= depthMax).slice(0, TREE_NODES_MAX)
  const childrenShown = groupByParent(shown)
  const childrenFound = groupByParent(rows)
  const tree: TreeNode[] = []
  const draw = (parent: FolderUuid | null) => {
    for (const row of childrenShown.get(parent)?.slice(0, TREE_CHILDREN_MAX) ?? []) {
      const found = childrenFound.get(row.uuid)?.length ?? 0
      const drawn = Math.min(childrenShown.get(row.uuid)?.length ?? 0, TREE_CHILDREN_MAX)
      tree.push({ ...row, hasMore: found > drawn })
      draw(row.uuid)
    }
  }
  draw(shown[0]?.parentUuid ?? null)
  return tree
}

function groupByParent(rows: readonly TreeRow[]): Map<FolderUuid | null, readonly TreeRow[]> {
  return Map.groupBy(rows, ({ parentUuid }) => parentUuid)
}
