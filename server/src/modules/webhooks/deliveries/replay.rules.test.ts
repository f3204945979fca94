import { describe, expect, it } from 'vitest'
import { assertNotTooMany, type ReplayInput, toRange } from './replay.rules.ts'

const nothing: ReplayInput = {
  since: undefined,
  until: undefined,
  after: undefined,
  before: undefined,
}
const open = { since: null, until: null, after: null, before: null }

describe('a range of the event log', () => {
  it('starts at a number or a time and may have an end', () => {
    expect(toRange({ ...nothing, after: 0 })).toEqual({ ...open, after: 0 })
    expect(toRange({ ...nothing, after: 6, before: 8 })).toEqual({ ...open, after: 6, before: 8 })
    const since = '2026-11-15T09:30:00Z'
    expect(toRange({ ...nothing, since }).since).toBe('2026-11-15T09:30:00.000000Z')
  })

  it('converts times to UTC with microseconds', () => {
    const [since, until] = ['2026-11-15T10:30:00.123456+01:00', '2026-11-15T10:30:00.123457+01:00']
    expect(toRange({ ...nothing, since, until })).toEqual({
      ...open,
      since: '2026-11-15T09:30:00.123456Z',
      until: '2026-11-15T09:30:00.123457Z',
    })
  })

  it.each([
    ['no start', {}, 'since'],
    ['an end only', { before: 7, until: '2026-11-15T09:30:00Z' }, 'since'],
    ['no number in between', { after: 6, before: 7 }, 'before'],
    ['an end before its start', { after: 8, before: 6 }, 'before'],
    ['no time in between', { since: '2026-11-15T09:30:00Z', until: '2026-11-15T10:30:00+01:00' }, 'until'],
    ['a leap second', { since: '2016-12-31T23:59:60Z' }, 'since'],
    ['a time before the year 2000', { since: '0000-01-01T00:00:00Z' }, 'since'],
    ['a time whose year has five digits in UTC', { since: '9999-12-31T23:59:59-01:00' }, 'since'],
  ])('is rejected with %s', (_, input, field) => {
    expect(() => toRange({ ...nothing, ...input })).toThrow(
      expect.objectContaining({
        code: 'invalid_replay',
        violations: [expect.objectContaining({ field })],
      }),
    )
  })

  it('may contain up to ten thousand events', () => {
    expect(() => assertNotTooMany(10_000)).not.toThrow()
    expect(() => assertNotTooMany(10_001)).toThrow(expect.objectContaining({ code: 'replay_too_large' }))
  })
})
