import { describe, expect, it } from 'vitest'
import { isTableOfContents, readTableOfContents } from './table-of-contents.ts'

const HOURS = 36_000_000
const only = (text: string, durationMs = HOURS) => readTableOfContents(text, durationMs)[0]

describe('readTableOfContents', () => {
  it.each([
    ['0:00 Intro', 0, 'Intro'],
    ['00:12:03 - Title', 723_000, 'Title'],
    ['00:12:03 – Title', 723_000, 'Title'],
    ['1:02: Title', 62_000, 'Title'],
    ['1:02 | Title', 62_000, 'Title'],
    ['12) 3:45 Title', 225_000, 'Title'],
    ['• 3:45 Title', 225_000, 'Title'],
    ['[01:00:02] Title', 3_602_000, 'Title'],
    ['75:30 Title', 4_530_000, 'Title'],
    ['1:02.9 Title', 62_900, 'Title'],
    ['0:01,045 Title', 1045, 'Title'],
    ['1:02 - 2:30 lunch', 62_000, '2:30 lunch'],
  ])('reads %j', (text, startMs, title) => expect(only(text)).toMatchObject({ chapter: { startMs, title } }))

  it.each([
    ['Interview 1:30', 'no-time'],
    ['1:2 Title', 'no-time'],
    ['(1:02 Title', 'no-time'],
    ['1:02', 'no-title'],
    ['99:00:00 Title', 'after-end'],
  ])('reports %j', (text, problem) => expect(only(text)).toMatchObject({ problem }))

  it('reports a start that is used twice, and counts blank lines', () => {
    expect(readTableOfContents('0:00 One\r\n\r\n0:00 Two\n0:01 Three', HOURS)).toMatchObject([
      { line: 1, chapter: { title: 'One' } },
      { line: 3, problem: 'taken' },
      { line: 4, chapter: { title: 'Three' } },
    ])
  })

  it('reads at most as many chapters as the API permits', () => {
    const text = Array.from({ length: 501 }, (_, index) => `0:00.${String(index).padStart(3, '0')} Part`).join('\n')
    expect(readTableOfContents(text, HOURS).filter(({ problem }) => problem === 'too-many')).toHaveLength(1)
  })

  it('accepts a start just before the end only', () => {
    expect(only('0:10 Title', 10_000)).toMatchObject({ problem: 'after-end' })
    expect(only('0:09.999 Title', 10_000)?.chapter).toBeDefined()
  })
})

it('a pasted text is a table of contents if several of its lines start with a time', () => {
  expect(isTableOfContents('Contents\n0:00 One\n1:00 Two')).toBe(true)
  expect(isTableOfContents('0:00 One')).toBe(false)
  expect(isTableOfContents('A title\nof two lines')).toBe(false)
})
