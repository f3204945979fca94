import { describe, expect, it } from 'vitest'
import { adjacentStart, indexAt, segmentsOf } from './chapters.ts'

const chapters = [
  { title: 'One', start: 5 },
  { title: 'Two', start: 30 },
  { title: 'Three', start: 50 },
]

describe('segments of the timeline', () => {
  it('cover the whole duration, including the time before the first chapter', () => {
    expect(segmentsOf(chapters, 60)).toEqual([
      { title: 'One', start: 0, end: 30 },
      { title: 'Two', start: 30, end: 50 },
      { title: 'Three', start: 50, end: 60 },
    ])
  })

  it('are a single segment without title for a video without chapters', () => {
    expect(segmentsOf([], 60)).toEqual([{ title: null, start: 0, end: 60 }])
  })

  it('omit chapters that start at or after the end of the video', () => {
    expect(segmentsOf(chapters, 50).map(({ title }) => title)).toEqual(['One', 'Two'])
  })
})

const segments = segmentsOf(chapters, 60)

it.each([
  [0, 0],
  [29.9, 0],
  [30, 1],
  [60, 2],
])('indexAt(%d seconds) is %d', (seconds, index) => {
  expect(indexAt(segments, seconds)).toBe(index)
})

it.each([
  [10, 1, 30],
  [55, 1, undefined],
  [45, -1, 30],
  // Just after the start of a chapter, "previous" seeks to the previous chapter.
  [31, -1, 0],
  [1, -1, 0],
] as const)('at %d seconds, a step of %d chapters seeks to %s', (seconds, step, start) => {
  expect(adjacentStart(segments, seconds, step)).toBe(start)
})
