import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimecode, TIMECODE_SECONDS_MAX, toExactTimecode, toTimecode } from './timecodes.rules.ts'

const seconds = fc.integer({ min: 0, max: TIMECODE_SECONDS_MAX })

describe('a timecode', () => {
  it('is parsed back to the same seconds', () => {
    fc.assert(fc.property(seconds, (value) => parseTimecode(toTimecode(value)) === value))
  })

  it('has the format HH:MM:SS and sorts like its seconds', () => {
    fc.assert(
      fc.property(seconds, seconds, (one, other) => {
        expect(toTimecode(one)).toMatch(/^\d\d:[0-5]\d:[0-5]\d$/)
        expect(toTimecode(one) < toTimecode(other)).toBe(one < other)
      }),
    )
  })

  it('rounds fractions down', () => {
    expect(toTimecode(10.999)).toBe('00:00:10')
    expect(toTimecode(3599.5)).toBe('00:59:59')
  })

  it('may have one digit for hours', () => {
    expect(parseTimecode('1:02:03')).toBe(3723)
    expect(parseTimecode('01:02:03')).toBe(3723)
  })

  it('is rejected unless it has digits and colons in the right positions', () => {
    const notOne = fc
      .oneof(fc.string(), fc.stringMatching(/^\d{0,3}:\d{0,3}:\d{0,3}$/))
      .filter((text) => !/^[0-9]{1,2}:[0-5][0-9]:[0-5][0-9]$/.test(text))
    fc.assert(fc.property(notOne, (text) => parseTimecode(text) === undefined))
  })

  it.each(['', '00:00', '00:60:00', '00:00:60', '100:00:00', '00:00:00\n', ' 00:00:00', '٠٠:٠٠:٠٠'])(
    'is not parsed from %j',
    (text) => expect(parseTimecode(text)).toBeUndefined(),
  )
})

describe('toExactTimecode', () => {
  it.each([
    [0, '00:00:00'],
    [4, '00:00:04'],
    [4.6, '00:00:04.600'],
    [4.0004, '00:00:04.001'],
    [2.3, '00:00:02.300'],
    [59.9999, '00:01:00'],
    [3661.005, '01:01:01.005'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(toExactTimecode(seconds)).toBe(text)
  })
})
