import { describe, expect, it } from 'vitest'
import type { FolderUuid } from '../../kernel/ids.ts'
import { TREE_CHILDREN_MAX, TREE_NODES_MAX, type TreeRow, toTree } from './folder-tree.rules.ts'

const row = (uuid: string, parent: string | null, depth: number): TreeRow => ({
  uuid: uuid as FolderUuid,
  title: uuid,
  parentUuid: parent as FolderUuid | null,
  depth,
})
const drawn = (rows: TreeRow[], depthMax: number) =>
  toTree(rows, depthMax).map(({ uuid, hasMore }) => (hasMore ? `${uuid}…` : uuid))

describe('toTree', () => {
  it('puts each folder before what lies in it', () => {
    const rows = [
      row('a', null, 1),
      row('b', null, 1),
      row('a1', 'a', 2),
      row('b1', 'b', 2),
      row('a11', 'a1', 3),
    ]
    expect(drawn(rows, 3)).toEqual(['a', 'a1', 'a11', 'b', 'b1'])
  })

  it('says where the next level is left out', () => {
    const rows = [row('a', null, 1), row('b', null, 1), row('a1', 'a', 2)]
    expect(drawn(rows, 1)).toEqual(['a…', 'b'])
  })

  it('begins at any folder', () => {
    expect(drawn([row('x1', 'x', 1), row('x11', 'x1', 2)], 2)).toEqual(['x1', 'x11'])
  })

  it('shows a hundred folders of one and says that there are more', () => {
    const children = Array.from({ length: TREE_CHILDREN_MAX + 1 }, (_, i) => row(`c${i}`, 'a', 2))
    const tree = drawn([row('a', null, 1), ...children], 2)
    expect(tree).toHaveLength(1 + TREE_CHILDREN_MAX)
    expect(tree[0]).toBe('a…')
  })

  it('shows a thousand folders in all and says where the rest would be', () => {
    const top = Array.from({ length: 100 }, (_, i) => row(`t${i}`, null, 1))
    const beneath = top.flatMap(({ uuid }) =>
      Array.from({ length: 10 }, (_, i) => row(`${uuid}.${i}`, uuid, 2)),
    )
    const tree = drawn([...top, ...beneath], 2)
    expect(tree).toHaveLength(TREE_NODES_MAX)
    expect(tree.filter((node) => node.endsWith('…'))).toHaveLength(10)
  })

  it('is empty for a folder without folders', () => {
    expect(toTree([], 3)).toEqual([])
  })
})
