import { describe, expect, it } from 'vitest'
import { layoutOf, stepOf } from './list-layout.ts'

describe('layoutOf', () => {
  it('fits as many cards as there is room for, at least two on phones', () => {
    expect([300, 358, 700, 1100, 2400].map((width) => layoutOf(true, width, 800).columns)).toEqual([2, 2, 2, 4, 9])
  })

  it('fills the width with cards and gaps', () => {
    const { columns, width, gap } = layoutOf(true, 1100, 800)
    expect(columns * width + (columns - 1) * gap).toBeCloseTo(1100)
  })

  it('has one column of rows in a list', () => {
    expect(layoutOf(false, 1100, 640)).toMatchObject({ columns: 1, width: 1100, gap: 0, rowsPerPage: 10 })
  })

  it('has no negative width before the box is measured', () => {
    expect(layoutOf(true, 0, 0)).toMatchObject({ width: 0, rowsPerPage: 1 })
  })
})

it('moves by cards, rows and pages', () => {
  const layout = { columns: 4, gap: 20, width: 1, rowHeight: 1, rowsPerPage: 3 }
  expect(['ArrowLeft', 'ArrowDown', 'PageUp', 'Home', 'x'].map((key) => stepOf(key, layout))).toEqual([
    ...[-1, 4, -12, Number.NEGATIVE_INFINITY, undefined],
  ])
})
