import { describe, expect, it } from 'vitest'
import { clock, parseTime, spoken } from './time.ts'

it.each([
  [0, '0:00'],
  [59.9, '0:59'],
  [65, '1:05'],
  [3600, '1:00:00'],
  [36_061, '10:01:01'],
  [-1, '0:00'],
])('clock(%d) is %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text)
})

it.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [60, '1 minute'],
  [61, '1 minute 1 second'],
  [7322, '2 hours 2 minutes 2 seconds'],
])('spoken(%d) is "%s"', (seconds, text) => {
  expect(spoken(seconds)).toBe(text)
})

describe('parseTime', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['83.25', 83.25],
    ['1m0.5s', 60.5],
    ['1m30s', 90],
    ['1m', 60],
    ['1h2m3s', 3723],
    ['1:30', 90],
    ['1:02:03', 3723],
    ['0', 0],
  ])('reads %s as %f seconds', (text, seconds) => {
    expect(parseTime(text)).toBe(seconds)
  })

  it.each(['', 'x', '-5', '1:90', '1.2345', '.5', '5m5m', '1e3', '٣', '9'.repeat(20)])('rejects %j', (text) => {
    expect(parseTime(text)).toBeUndefined()
  })
})
