import { describe, expect, it } from 'vitest'
import { assertRoom, cleanLanguage, remainingRoom } from './subtitles.rules.ts'

describe('cleanLanguage', () => {
  it.each([
    ['de', 'de'],
    [' EN-us ', 'en-US'],
    ['zh-hant', 'zh-Hant'],
    ['iw', 'he'],
    ['und', 'und'],
  ])('normalizes %s to %s', (text, language) => {
    expect(cleanLanguage(text)).toBe(language)
  })

  it.each(['', 'd', 'german!', 'de_DE', 'de-', '../de', 'x'.repeat(100)])('rejects %j', (text) => {
    expect(() => cleanLanguage(text)).toThrow('BCP 47')
  })
})

it('assertRoom allows 50 tracks', () => {
  assertRoom(49)
  expect(() => assertRoom(50)).toThrow('at most 50')
  expect([remainingRoom(0), remainingRoom(49), remainingRoom(50), remainingRoom(51)]).toEqual([50, 1, 0, 0])
})
