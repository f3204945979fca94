import type { FolderUuid } from '../../kernel/ids.ts'

/** Maximum number of folders in one response, and of subfolders per folder. */
export const TREE_NODES_MAX = 1000
export const TREE_CHILDREN_MAX = 100

/** `childrenFound` counts at most one more child than is shown. */
export type TreeRow = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly depth: number
  readonly childrenFound: number
}

export type TreeNode = TreeRow & { readonly hasMore: boolean }

/** Sorts rows depth-first. The input is level by level, ordered by title within a folder. */
export function toTree(rows: readonly TreeRow[]): TreeNode[] {
  const children = Map.groupBy(rows, ({ parentUuid }) => parentUuid)
  const flatten = (row: TreeRow): TreeNode[] => {
    const shown = children.get(row.uuid) ?? []
    return [{ ...row, hasMore: row.childrenFound > shown.length }, ...shown.flatMap(flatten)]
  }
  return rows.filter(({ depth }) => depth === 1).flatMap(flatten)
}
