import type { FolderTreeNode } from 'reelkeep'
import type { Look } from '../../terminal/look.ts'
import { printable } from '../../terminal/width.ts'

/** Nodes come in the order in which a tree is drawn: each behind its parent, one level deeper. */
export function drawTree(nodes: readonly FolderTreeNode[], { paint }: Look): string {
  /** For each level, whether something follows further down at it. */
  const follows: boolean[] = []
  const lines: string[] = []
  for (const node of nodes.toReversed()) {
    const isLast = !follows[node.depth]
    // What stands deeper belongs to the node above it, which is still to come.
    follows.length = node.depth + 1
    const stems = Array.from({ length: node.depth - 1 }, (_, level) =>
      follows[level + 1] ? '│   ' : '    ',
    )
    follows[node.depth] = true
    lines.push(
      paint('gray', stems.join('') + (isLast ? '└── ' : '├── ')) +
        printable(node.title) +
        paint('gray', `  ${node.uuid}${node.has_more ? '  …more in it' : ''}`),
    )
  }
  return lines.reverse().join('\n')
}
