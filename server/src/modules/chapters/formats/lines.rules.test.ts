import { expect, it } from 'vitest'
import { lines } from './lines.rules.ts'
import { separated } from './parts.fixtures.ts'

it.each([
  ['0:00 Intro', 0, 'Intro'],
  ['00:12:03 - Title', 723, 'Title'],
  ['00:12:03 – Title', 723, 'Title'],
  ['1:02: Title', 62, 'Title'],
  ['1:02 | Title', 62, 'Title'],
  ['1. 3:45 Title', 225, 'Title'],
  ['12) 3:45 Title', 225, 'Title'],
  ['- 3:45 Title', 225, 'Title'],
  ['• 3:45 Title', 225, 'Title'],
  ['(1:02) Title', 62, 'Title'],
  ['[01:00:02] Title', 3602, 'Title'],
  ['  1:02\tTitle  ', 62, 'Title'],
  ['75:30 Title', 4530, 'Title'],
  ['1:02.9 Title', 62.9, 'Title'],
  ['1:02 - 2:30 lunch', 62, '2:30 lunch'],
  ['1:02', 62, ''],
])('the line format reads %j as a chapter at %d with the title %j', (text, startSeconds, title) => {
  expect(separated(lines.read(text))).toEqual({
    chapters: [{ position: 'line 1', startSeconds, title }],
    errors: [],
  })
})

it.each([
  'Title',
  'Title 1:02',
  '1:2 Title',
  '1:60 Title',
  '1:60:00 Title',
  '100:00:00 Title',
  '1:02Title',
  '(1:02 Title',
  '1:02) Title',
  '1:02:03:04 Title',
  '90 Title',
])('the line format rejects %j, which does not start with a time', (text) => {
  expect(separated(lines.read(text)).errors).toMatchObject([{ position: 'line 1' }])
})

it('the line format skips and counts blank lines, and names every invalid line', () => {
  const { chapters, errors } = separated(lines.read('\n0:00 One\n\nhello\n0:05 Two\nbye\n'))
  expect(chapters.map(({ position }) => position)).toEqual(['line 2', 'line 5'])
  expect(errors.map(({ position }) => position)).toEqual(['line 4', 'line 6'])
})

it('the line format writes a title that starts with a dash so that it can be read back', () => {
  expect(lines.write([{ title: '- x', startSeconds: 5 }], 60)).toBe('00:00:05 - - x\n')
})
