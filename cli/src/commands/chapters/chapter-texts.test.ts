import { expect, it } from 'vitest'
import { chapterLinesAlone, guessedFormat, linesIn } from './chapter-texts.ts'

it.each([
  ['a.vtt', 'WEBVTT\n', 'webvtt'],
  ['-', '\n{"version":"1.2.0"}', 'podcasting'],
  ['-', ';FFMETADATA1\n', 'ffmetadata'],
  ['notes.txt', 'nothing', 'lines'],
  ['-', '0:00 Opening', 'lines'],
  ['-', 'nothing', undefined],
])('%s beginning with %j is %s', (file, text, format) => {
  expect(guessedFormat(file, text)).toBe(format)
})

it.each([
  ['0:00 Opening', '0:00', 'Opening'],
  ['  • 1:02:03 – The end ', '1:02:03', 'The end'],
  ['3. (75:30) Questions', '75:30', 'Questions'],
  ['[0:05] | A | B', '0:05', 'A | B'],
])('%j is a chapter', (line, start, title) => {
  expect(linesIn(line)).toEqual([{ start, title }])
})

it.each(['Recorded at 12:30', '', '12 people', '1:30', 'https://example.com/1:30 x'])(
  '%j is none',
  (line) => {
    expect(linesIn(line)).toEqual([])
  },
)

it('keeps the numbers of lines', () => {
  expect(chapterLinesAlone('A talk\r\n0:00 Opening\n\nmusic\r\n1:00 End')).toBe(
    '\n0:00 Opening\n\n\n1:00 End',
  )
})
