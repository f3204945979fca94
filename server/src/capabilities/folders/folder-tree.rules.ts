import type { FolderUuid } from '../../kernel/ids.ts'

/** As much of a tree as a person takes in at once, and as one answer should carry. */
export const TREE_NODES_MAX = 1000
export const TREE_CHILDREN_MAX = 100

/** A folder to show, and how many subfolders it has: exactly, or one more than are ever shown. */
export type TreeRow = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly depth: number
  readonly childrenFound: number
}

export type TreeNode = TreeRow & { readonly hasMore: boolean }

/**
 * Lays the rows out in the order in which a tree is drawn: each folder followed by what lies in it. They
 * come level by level, ordered by title within a folder.
 */
export function toTree(rows: readonly TreeRow[]): TreeNode[] {
  const children = Map.groupBy(rows, ({ parentUuid }) => parentUuid)
  const draw = (row: TreeRow): TreeNode[] => {
    const shown = children.get(row.uuid) ?? []
    return [{ ...row, hasMore: row.childrenFound > shown.length }, ...shown.flatMap(draw)]
  }
  return rows.filter(({ depth }) => depth === 1).flatMap(draw)
}
