/** One level of the folder tree, as far as it has been loaded. */
export type FolderLevel = {
  readonly folders: readonly LevelFolder[]
  /** Cursor of the folders that have not been loaded; null if all have. */
  readonly nextCursor: string | null
}

type LevelFolder = { readonly uuid: string; readonly title: string; readonly mayHaveChildren: boolean }

export type TreeNode = {
  /** Uuid of the folder, or an id that no folder has. */
  readonly id: string
  readonly kind: 'all' | 'folder' | 'loading' | 'more'
  readonly title: string
  /** Uuid of the parent folder, or the root of the tree. */
  readonly parent: string
  readonly children: readonly TreeNode[]
}

export const ALL_VIDEOS = 'all'

type Tree = {
  readonly root: string
  readonly levels: ReadonlyMap<string, FolderLevel>
  readonly expanded: ReadonlySet<unknown>
}

/** Returns a function that builds the rows of a tree. An unchanged row or list of rows is the same object as before. */
export function newTreeNodes(): (tree: Tree) => readonly TreeNode[] {
  let before: ReadonlyMap<string, TreeNode> = new Map()
  let nodesBefore: readonly TreeNode[] = []
  return (tree) => {
    const after = new Map<string, TreeNode>()
    const nodes = treeNodes(tree, (node) => {
      const previous = before.get(node.id)
      const kept = previous && isSameNode(previous, node) ? previous : node
      after.set(kept.id, kept)
      return kept
    })
    before = after
    if (!areSameNodes(nodesBefore, nodes)) nodesBefore = nodes
    return nodesBefore
  }
}

const isSameNode = (one: TreeNode, other: TreeNode) =>
  one.kind === other.kind &&
  one.title === other.title &&
  one.parent === other.parent &&
  areSameNodes(one.children, other.children)

const areSameNodes = (some: readonly TreeNode[], others: readonly TreeNode[]) =>
  some.length === others.length && some.every((node, index) => node === others[index])

/**
 * The rows of the tree, from the levels that have been loaded. A closed folder gets a placeholder as child until its
 * level is there: Tree of react-aria-components offers to open a row only if it has children. It never returns if a row
 * is in two levels, as that of a moved folder is until both levels have been read again: only the first one is kept.
 */
function treeNodes({ root, levels, expanded }: Tree, keep: (node: TreeNode) => TreeNode): readonly TreeNode[] {
  const placed = new Set<string>()
  const childrenOf = (folder: LevelFolder): readonly TreeNode[] => {
    if (expanded.has(folder.uuid) && levels.has(folder.uuid)) return nodesIn(folder.uuid)
    if (!folder.mayHaveChildren) return []
    return [keep({ id: `${folder.uuid}/loading`, kind: 'loading', title: '', parent: folder.uuid, children: [] })]
  }
  const nodesIn = (parent: string): readonly TreeNode[] => {
    const { folders, nextCursor } = levels.get(parent) ?? { folders: [], nextCursor: null }
    const nodes = folders.flatMap((folder) => {
      if (placed.has(folder.uuid)) return []
      placed.add(folder.uuid)
      return [keep({ id: folder.uuid, kind: 'folder', title: folder.title, parent, children: childrenOf(folder) })]
    })
    if (nextCursor === null) return nodes
    return [...nodes, keep({ id: `${parent}/more`, kind: 'more', title: '', parent, children: [] })]
  }
  return [keep({ id: ALL_VIDEOS, kind: 'all', title: '', parent: root, children: [] }), ...nodesIn(root)]
}

/** The levels that the tree shows: those of open folders whose ancestors are open as well. */
export function shownLevels({ root, levels, expanded }: Tree): readonly string[] {
  const shown = new Set([root])
  for (const parent of shown) {
    for (const { uuid } of levels.get(parent)?.folders ?? []) if (expanded.has(uuid)) shown.add(uuid)
  }
  return [...shown]
}

export function find(nodes: readonly TreeNode[], id: string): TreeNode | undefined {
  for (const node of nodes) {
    const found = node.id === id ? node : find(node.children, id)
    if (found) return found
  }
  return undefined
}
