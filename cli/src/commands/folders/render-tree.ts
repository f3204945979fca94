import type { FolderTreeNode } from 'reelkeep'
import type { Style } from '../../terminal/style.ts'
import { printable } from '../../terminal/width.ts'

/** Renders a folder tree. The nodes must be in depth-first order. */
export function renderTree(nodes: readonly FolderTreeNode[], { paint }: Style): string {
  /** For each level, whether a later node of the same parent follows. */
  const follows: boolean[] = []
  const lines: string[] = []
  for (const node of nodes.toReversed()) {
    const isLast = !follows[node.depth]
    // Clears deeper levels, because the remaining nodes on those levels have other parents.
    follows.length = node.depth + 1
    const stems = Array.from({ length: node.depth - 1 }, (_, level) => (follows[level + 1] ? '│   ' : '    '))
    follows[node.depth] = true
    lines.push(
      paint('gray', stems.join('') + (isLast ? '└── ' : '├── ')) +
        printable(node.title) +
        paint('gray', `  ${node.uuid}${node.has_more ? '  (more)' : ''}`),
    )
  }
  return lines.reverse().join('\n')
}
