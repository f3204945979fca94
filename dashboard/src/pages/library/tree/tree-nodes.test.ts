import { describe, expect, it } from 'vitest'
import { type FolderLevel, newTreeNodes, shownLevels } from './tree-nodes.ts'

const level = (...uuids: string[]): FolderLevel => ({
  folders: uuids.map((uuid) => ({ uuid, title: uuid.toUpperCase(), mayHaveChildren: !uuid.endsWith('-leaf') })),
  nextCursor: null,
})

const treeNodes = newTreeNodes()
const ids = (nodes: ReturnType<typeof treeNodes>): unknown[] =>
  nodes.map(({ id, children }) => (children.length === 0 ? id : [id, ids(children)]))

describe('treeNodes', () => {
  it('starts with the row of all videos, also before anything is loaded', () => {
    expect(ids(treeNodes({ root: 'root', levels: new Map(), expanded: new Set() }))).toEqual(['all'])
  })

  it('gives closed folders a placeholder, and folders without subfolders nothing', () => {
    const levels = new Map([['root', level('a', 'b-leaf')]])
    expect(ids(treeNodes({ root: 'root', levels, expanded: new Set() }))).toEqual([
      'all',
      ['a', ['a/loading']],
      'b-leaf',
    ])
  })

  it('keeps the placeholder of an open folder until its level is loaded', () => {
    const levels = new Map([['root', level('a')]])
    expect(ids(treeNodes({ root: 'root', levels, expanded: new Set(['a']) }))).toEqual(['all', ['a', ['a/loading']]])
  })

  it('shows the loaded level of an open folder, and nothing if it turned out to be empty', () => {
    const levels = new Map([
      ['root', level('a', 'b')],
      ['a', level('c-leaf')],
      ['b', level()],
    ])
    const expanded = new Set(['a', 'b'])
    expect(ids(treeNodes({ root: 'root', levels, expanded }))).toEqual(['all', ['a', ['c-leaf']], 'b'])
  })

  it('shows a folder once that is in two levels until both have been read again after a move', () => {
    const levels = new Map([
      ['root', level('a', 'b')],
      ['a', level('b')],
      ['b', level('a')],
    ])
    const tree = { root: 'root', levels, expanded: new Set(['a', 'b']) }
    expect(ids(treeNodes(tree))).toEqual(['all', ['a', ['b']]])
    expect(shownLevels(tree)).toEqual(['root', 'a', 'b'])
  })

  it('ends a level that has more folders with a row that loads them', () => {
    const levels = new Map([['root', { ...level('a-leaf'), nextCursor: 'x' }]])
    expect(ids(treeNodes({ root: 'root', levels, expanded: new Set() }))).toEqual(['all', 'a-leaf', 'root/more'])
  })
})

describe('rows that have not changed', () => {
  const levels = new Map([
    ['root', level('a', 'b', 'c-leaf')],
    ['a', level('d-leaf')],
  ])
  const tree = { root: 'root', levels, expanded: new Set<string>() }

  it('are the same objects when another folder is opened', () => {
    const nodesOf = newTreeNodes()
    const closed = nodesOf(tree)
    const opened = nodesOf({ ...tree, expanded: new Set(['a']) })
    expect(opened.map((node, index) => node === closed[index])).toEqual([true, false, true, true])
  })

  it('do not include a folder that was renamed', () => {
    const nodesOf = newTreeNodes()
    nodesOf(tree)
    const renamed = { folders: [{ uuid: 'a', title: 'Talks', mayHaveChildren: true }], nextCursor: null }
    expect(nodesOf({ ...tree, levels: new Map([['root', renamed]]) })[1]?.title).toBe('Talks')
  })
})

describe('shownLevels', () => {
  it('omits open folders below closed ones, so that they are not loaded', () => {
    const levels = new Map([
      ['root', level('a', 'b')],
      ['a', level('c')],
      ['b', level('d')],
    ])
    expect(shownLevels({ root: 'root', levels, expanded: new Set(['a', 'c', 'd']) })).toEqual(['root', 'a', 'c'])
  })
})
