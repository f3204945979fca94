import { describe, expect, it } from 'vitest'
import { bytesText, percentOf, rateText, secondsLeft } from './amounts.ts'

describe('bytesText', () => {
  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [20_000, '20 kB'],
    [4_230_000, '4.2 MB'],
    [42_300_000, '42 MB'],
    [1_500_000_000, '1.5 GB'],
  ])('shows %i bytes as %s', (bytes, text) => {
    expect(bytesText(bytes, 'en')).toBe(text)
  })

  it('uses the language of the user', () => {
    expect(bytesText(4_230_000, 'de')).toBe('4,2 MB')
    expect(rateText(4_230_000, 'en')).toBe('4.2 MB/s')
  })
})

describe('secondsLeft', () => {
  it('rounds up to steps that are easy to read', () => {
    expect(secondsLeft(35, 10)).toBe(4)
    expect(secondsLeft(310, 10)).toBe(35)
    expect(secondsLeft(1000, 10)).toBe(120)
  })

  it('is unknown without a rate', () => {
    expect(secondsLeft(35, undefined)).toBeUndefined()
    expect(secondsLeft(35, 0)).toBeUndefined()
  })
})

it('percentOf shows 100 only at the end', () => {
  expect([percentOf(0, 0), percentOf(999, 1000), percentOf(1000, 1000)]).toEqual([0, 99, 100])
})
