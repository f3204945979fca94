import { describe, expect, it } from 'vitest'
import { cleanTitle, nearestTitle } from './title.ts'

describe('cleanTitle', () => {
  it('takes the blanks away from around a title and composes its letters', () => {
    expect(cleanTitle(' \u00a0\tCafe\u0301 2 \n', 'title')).toBe('Café 2')
  })

  it('counts characters as people do not in bytes: 255 are kept, 256 refused', () => {
    for (const letter of ['a', '中', '😀']) {
      expect(cleanTitle(letter.repeat(255), 'title')).toBe(letter.repeat(255))
      expect(() => cleanTitle(letter.repeat(256), 'title')).toThrow('has 256 characters')
    }
  })

  it.each(['', '  ', '\u3000'])('refuses "%s", which is blank', (title) => {
    expect(() => cleanTitle(title, 'name')).toThrow('name must not be blank.')
  })

  it.each(['a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800'])('refuses %j', (title) => {
    expect(() => cleanTitle(title, 'title')).toThrow('control characters')
  })

  it.each(['\u1f82', '\u{16126}'])('keeps 255 of %j in its longest form', (letter) => {
    const longest = letter.normalize('NFD')
    expect([...longest].length).toBeGreaterThanOrEqual(3)
    expect(cleanTitle(longest.repeat(255), 'title')).toBe(letter.repeat(255))
  })

  it('refuses a body full of accents out of order without putting them in order', () => {
    const startedAt = performance.now()
    expect(() => cleanTitle(`a${'\u0315\u0301'.repeat(32_768)}`, 'title')).toThrow('characters')
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})

describe('nearestTitle', () => {
  it('is whole characters, composed, however long the text', () => {
    expect(nearestTitle('e\u0301'.repeat(10_000))).toBe('é'.repeat(255))
    expect(nearestTitle(`${'😀'.repeat(255)}x`)).toBe('😀'.repeat(255))
    expect(nearestTitle(` a\n\0b\ud800 `)).toBe('a b\ufffd')
  })
})
