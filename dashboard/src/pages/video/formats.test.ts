import { expect, it } from 'vitest'
import { bitrateText, exactClock, parseClock, percentText, startTime } from './formats.ts'

it.each([
  ['90', 90],
  ['1:30', 90],
  ['01:02:03', 3723],
  ['1:', undefined],
  ['later', undefined],
])('reads the position %s as %s seconds', (text, seconds) => expect(parseClock(text)).toBe(seconds))

it.each([
  [0, '0:00'],
  [12.5, '0:12.500'],
  [3723.0004, '1:02:03'],
])('writes the exact position %d as %s', (seconds, text) => expect(exactClock(seconds)).toBe(text))

it('writes start times of chapters with two digits each', () => expect(startTime(3723.7)).toBe('01:02:03'))

it('shows percentages and bitrates in the language', () => {
  expect(percentText(45.4, 'de')).toBe('45\u00a0%')
  expect(bitrateText(427_300, 'en')).toBe('427 kbit/s')
  expect(bitrateText(2_420_000, 'de')).toBe('2,4 Mbit/s')
})
