import { describe, expect, it } from 'vitest'
import type { FolderUuid } from '../../kernel/ids.ts'
import { type TreeRow, toTree } from './folder-tree.rules.ts'

const row = (uuid: string, parent: string | null, depth: number, childrenFound = 0): TreeRow => ({
  uuid: uuid as FolderUuid,
  title: uuid,
  parentUuid: parent as FolderUuid | null,
  depth,
  childrenFound,
})
const outline = (...rows: TreeRow[]) => toTree(rows).map(({ uuid, hasMore }) => (hasMore ? `${uuid}…` : uuid))

describe('toTree', () => {
  it('puts each folder before its subfolders', () => {
    const level1 = [row('a', null, 1, 1), row('b', null, 1, 1)]
    const level2 = [row('a1', 'a', 2, 1), row('b1', 'b', 2)]
    expect(outline(...level1, ...level2, row('a11', 'a1', 3))).toEqual(['a', 'a1', 'a11', 'b', 'b1'])
  })

  it('marks folders of which some or all subfolders are omitted', () => {
    expect(outline(row('a', null, 1, 2), row('b', null, 1, 3), row('b1', 'b', 2))).toEqual(['a…', 'b…', 'b1'])
  })

  it('can start at any folder', () => {
    expect(outline(row('x1', 'x', 1, 1), row('x11', 'x1', 2))).toEqual(['x1', 'x11'])
  })

  it('is empty for a folder without subfolders', () => {
    expect(toTree([])).toEqual([])
  })
})
