import { describe, expect, it } from 'vitest'
import { indexAt, neighbour, segmentsOf } from './chapters.ts'

const chapters = [
  { title: 'One', start: 5 },
  { title: 'Two', start: 30 },
  { title: 'Three', start: 50 },
]

describe('segments', () => {
  it('fill the whole time, whatever comes before the first chapter', () => {
    expect(segmentsOf(chapters, 60)).toEqual([
      { title: 'One', start: 0, end: 30 },
      { title: 'Two', start: 30, end: 50 },
      { title: 'Three', start: 50, end: 60 },
    ])
  })

  it('are one without a name for a video without chapters', () => {
    expect(segmentsOf([], 60)).toEqual([{ title: null, start: 0, end: 60 }])
  })

  it('leave out what would begin at the end or behind it', () => {
    expect(segmentsOf(chapters, 50).map(({ title }) => title)).toEqual(['One', 'Two'])
  })
})

const segments = segmentsOf(chapters, 60)

it.each([
  [0, 0],
  [29.9, 0],
  [30, 1],
  [60, 2],
])('at %d seconds it is number %d', (seconds, index) => {
  expect(indexAt(segments, seconds)).toBe(index)
})

it.each([
  [10, 1, 30],
  [55, 1, undefined],
  [45, -1, 30],
  // Just after its beginning, the one before is meant.
  [31, -1, 0],
  [1, -1, 0],
] as const)('from %d seconds, %d leads to %s', (seconds, step, place) => {
  expect(neighbour(segments, seconds, step)).toBe(place)
})
