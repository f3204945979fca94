import { describe, expect, it } from 'vitest'
import { type FolderLevel, shownLevels, treeNodes } from './tree-nodes.ts'

const level = (...uuids: string[]): FolderLevel => ({
  folders: uuids.map((uuid) => ({ uuid, title: uuid.toUpperCase(), mayHaveChildren: !uuid.endsWith('-leaf') })),
  nextCursor: null,
})

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

  it('ends a level that has more folders with a row that loads them', () => {
    const levels = new Map([['root', { ...level('a-leaf'), nextCursor: 'x' }]])
    expect(ids(treeNodes({ root: 'root', levels, expanded: new Set() }))).toEqual(['all', 'a-leaf', 'root/more'])
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
