import { describe, expect, it } from 'vitest'
import { assertRoom, cleanLanguage, roomBeside } from './subtitles.rules.ts'

describe('cleanLanguage', () => {
  it.each([
    ['de', 'de'],
    [' EN-us ', 'en-US'],
    ['zh-hant', 'zh-Hant'],
    ['iw', 'he'],
    ['und', 'und'],
  ])('takes %s for %s', (text, language) => {
    expect(cleanLanguage(text)).toBe(language)
  })

  it.each(['', 'd', 'german!', 'de_DE', 'de-', '../de', 'x'.repeat(100)])('refuses %j', (text) => {
    expect(() => cleanLanguage(text)).toThrow('BCP 47')
  })
})

it('has room for fifty', () => {
  assertRoom(49)
  expect(() => assertRoom(50)).toThrow('at most 50')
  expect([roomBeside(0), roomBeside(49), roomBeside(50), roomBeside(51)]).toEqual([50, 1, 0, 0])
})
