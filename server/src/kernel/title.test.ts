import { describe, expect, it } from 'vitest'
import { cleanTitle, lengthOf, toValidTitle } from './title.ts'

describe('cleanTitle', () => {
  it('trims a title and converts it to NFC', () => {
    expect(cleanTitle(' \u00a0\tCafe\u0301 2 \n', 'title')).toBe('Café 2')
  })

  it('counts code points: accepts 255 characters and rejects 256', () => {
    for (const letter of ['a', '中', '😀']) {
      expect(cleanTitle(letter.repeat(255), 'title')).toBe(letter.repeat(255))
      expect(() => cleanTitle(letter.repeat(256), 'title')).toThrow('`title` must be at most 255 characters (got 256).')
    }
  })

  it.each(['', '  ', '\u3000'])('rejects the blank title "%s"', (title) => {
    expect(() => cleanTitle(title, 'name')).toThrow('`name` must not be blank.')
  })

  it.each(['a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800'])(
    'rejects control characters and invalid Unicode: %j',
    (title) => {
      expect(() => cleanTitle(title, 'title')).toThrow('control characters')
    },
  )

  it.each(['a\u202ab', 'a\u202eb', '\u2066a', 'a\u2069'])('rejects characters that reorder the text: %j', (title) => {
    expect(() => cleanTitle(title, 'title')).toThrow('characters that change the direction of text')
  })

  it.each(['\u00ad', '\u061c', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff', '\u{e0041}', '\u{e007f}'])(
    'removes the invisible character %j',
    (invisible) => {
      expect(cleanTitle(`${invisible}a${invisible}b${invisible}`, 'title')).toBe('ab')
      expect(() => cleanTitle(invisible, 'title')).toThrow('must not be blank')
    },
  )

  it('keeps visible Arabic signs and the flags of England, Scotland and Wales', () => {
    for (const title of ['\u0600١٢', 'آية \u06dd١', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿']) expect(cleanTitle(title, 'title')).toBe(title)
    expect(cleanTitle('🏴\u{e0067}\u{e0062}', 'title')).toBe('🏴')
  })

  it('accepts the joiners that emoji and several scripts need', () => {
    for (const title of ['👨‍👩‍👧', 'می\u200cخواهم', 'क्\u200dष']) expect(cleanTitle(title, 'title')).toBe(title)
  })

  it.each(['\u1f82', '\u{16126}'])('accepts 255 times %j in decomposed form', (letter) => {
    const longest = letter.normalize('NFD')
    expect([...longest].length).toBeGreaterThanOrEqual(3)
    expect(cleanTitle(longest.repeat(255), 'title')).toBe(letter.repeat(255))
  })

  it('rejects a very long run of combining marks without normalizing it', () => {
    const before = process.cpuUsage()
    expect(() => cleanTitle(`a${'\u0315\u0301'.repeat(32_768)}`, 'title')).toThrow('characters')
    expect(process.cpuUsage(before).user).toBeLessThan(1e6)
  })
})

it.each([
  ['', 0],
  ['abc', 3],
  ['a🎬b', 3],
  ['🎬🎬', 2],
  ['\ud83c', 1],
  ['\udfac\ud83c', 2],
  ['\ud83c\ud83c\udfac\udfac', 3],
])('lengthOf counts the code points of %j as %d', (text, length) => {
  expect(lengthOf(text)).toBe(length)
  expect([...text]).toHaveLength(length)
})

describe('toValidTitle', () => {
  it('truncates to 255 whole characters in NFC', () => {
    expect(toValidTitle('e\u0301'.repeat(10_000))).toBe('é'.repeat(255))
    expect(toValidTitle(`${'😀'.repeat(255)}x`)).toBe('😀'.repeat(255))
    expect(toValidTitle(` a\n\0b\ud800 \u202e`)).toBe('a b\ufffd')
    expect(toValidTitle(`${'a'.repeat(252)}🏴󠁧󠁢󠁥󠁮󠁧󠁿`)).toBe(`${'a'.repeat(252)}🏴`)
  })
})
