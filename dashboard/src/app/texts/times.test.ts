import { describe, expect, it } from 'vitest'
import { minutesUp, relativeTime } from './times.ts'

const now = Date.parse('2026-11-18T12:00:00Z')

describe('relativeTime', () => {
  it.each([
    ['2026-11-18T12:00:00Z', 'now'],
    ['2026-11-18T11:59:01Z', 'now'],
    ['2026-11-18T11:59:00Z', '1 minute ago'],
    ['2026-11-18T12:00:40Z', 'in 40 seconds'],
    ['2026-11-18T11:00:01Z', '59 minutes ago'],
    ['2026-11-18T11:00:00Z', '1 hour ago'],
    ['2026-11-17T12:00:00Z', 'yesterday'],
    ['2026-11-11T12:00:00Z', '7 days ago'],
    ['2026-11-11T11:59:59Z', 'November 11, 2026'],
    ['2026-11-20T12:00:00Z', 'in 2 days'],
    ['2026-11-25T11:59:58Z', 'in 7 days'],
    ['2026-11-19T11:59:58Z', 'in 24 hours'],
  ])('%s is "%s"', (time, text) => {
    expect(relativeTime(time, 'en', now)).toBe(text)
  })

  it('formats times in German', () => {
    expect(relativeTime('2026-11-17T12:00:00Z', 'de', now)).toBe('gestern')
  })
})

it('minutesUp rounds up', () => {
  expect([minutesUp(91), minutesUp(120), minutesUp(121)]).toEqual([2, 2, 3])
})
