import { describe, expect, it } from 'vitest'
import { cleanTitle } from './title.ts'

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
})
