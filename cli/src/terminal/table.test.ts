import { expect, it } from 'vitest'
import { plainStyle } from './style.ts'
import { type Column, renderTable } from './table.ts'
import { shortened, widthOf } from './width.ts'

type Row = { readonly id: string; readonly title: string; readonly count: number }

const columns: readonly Column<Row>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
  { title: 'count', cell: ({ count }) => count, isNumber: true },
]
const rows = [
  { id: 'a', title: '会議の記録', count: 7 },
  { id: 'b', title: 'A\u0301rbol', count: 1200 },
  { id: 'c', title: '👩‍👩‍👧 at the lake\u001b[2J\n', count: 30 },
]
const at = (columnsMax?: number) => renderTable(columns, rows, plainStyle(new Date(0), columnsMax))

it('a table aligns columns that contain wide characters', () => {
  const lines = at().split('\n')
  expect(lines[0]).toMatch(/^ID {2}TITLE +COUNT$/)
  expect(new Set(lines.map(widthOf)).size).toBe(1)
})

it('a table removes control characters', () => {
  expect(at()).not.toMatch(/[^\P{Cc}\n]/u)
  expect(at().split('\n')).toHaveLength(4)
})

it('a table truncates only titles to fit the terminal', () => {
  const lines = at(20).split('\n')
  expect(lines.every((line) => widthOf(line) <= 20)).toBe(true)
  expect(lines[3]).toMatch(/^c {2}.*… +30$/)
})

it('a table drops columns before titles become unreadable', () => {
  const ranked: readonly Column<Row>[] = [
    ...columns,
    { title: 'first', cell: () => 'x'.repeat(9), rank: 2 },
    { title: 'second', cell: () => 'x'.repeat(9), rank: 1 },
  ]
  const headings = (columnsMax?: number) =>
    renderTable(ranked, rows, plainStyle(new Date(0), columnsMax))
      .split('\n')[0]
      ?.split(/ +/)
  expect(headings()).toEqual(['ID', 'TITLE', 'COUNT', 'FIRST', 'SECOND'])
  expect(headings(48)).toEqual(['ID', 'TITLE', 'COUNT', 'SECOND'])
  expect(headings(37)).toEqual(['ID', 'TITLE', 'COUNT'])
  expect(headings(10)).toEqual(['ID', 'TITLE', 'COUNT'])
})

it.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 4, 'abc…'],
  ['会議の記録', 6, '会議…'],
  ['会議の記録', 5, '会議…'],
  ['👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4, '👩‍👩‍👧…'],
])('shortened truncates %s to %d columns: %s', (text, width, short) => {
  expect(shortened(text, width)).toBe(short)
})
