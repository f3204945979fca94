import { expect, it } from 'vitest'
import { detectFormat, onlyChapterLines, parseChapterLines } from './chapter-texts.ts'

it.each([
  ['a.vtt', 'WEBVTT\n', 'webvtt'],
  ['-', '\n{"version":"1.2.0"}', 'podcasting'],
  ['-', ';FFMETADATA1\n', 'ffmetadata'],
  ['notes.txt', 'nothing', 'lines'],
  ['-', '0:00 Opening', 'lines'],
  ['-', 'nothing', undefined],
])('detectFormat detects the format of %s with %j as %s', (file, text, format) => {
  expect(detectFormat(file, text)).toBe(format)
})

it.each([
  ['0:00 Opening', '0:00', 'Opening'],
  ['  • 1:02:03 – The end ', '1:02:03', 'The end'],
  ['3. (75:30) Questions', '75:30', 'Questions'],
  ['[0:05] | A | B', '0:05', 'A | B'],
])('parseChapterLines parses %j as a chapter', (line, start, title) => {
  expect(parseChapterLines(line)).toEqual([{ start, title }])
})

it.each(['Recorded at 12:30', '', '12 people', '1:30', 'https://example.com/1:30 x'])(
  'parseChapterLines does not parse %j as a chapter',
  (line) => {
    expect(parseChapterLines(line)).toEqual([])
  },
)

it('onlyChapterLines keeps line numbers', () => {
  expect(onlyChapterLines('A talk\r\n0:00 Opening\n\nmusic\r\n1:00 End')).toBe('\n0:00 Opening\n\n\n1:00 End')
})
