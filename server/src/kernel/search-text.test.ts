import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldForSearch, gramsOf, needleGramsOf, needleOf } from './search-text.ts'

describe('foldForSearch', () => {
  it.each([
    ['Café MÜLLER', 'cafe muller'],
    ['Straße', 'strasse'],
    ['Łódź, Ærø, Þing', 'lodz, aero, thing'],
    ['İstanbul ışık', 'istanbul isik'],
    ['ﬁlm ẞ', 'film ss'],
    ['ΟΔΟΣ Κόσμος', 'οδοσ κοσμοσ'],
    ['Ελλάδα', 'ελλαδα'],
    ['100 % _done_', '100 % _done_'],
  ])('turns %s into %s', (text, folded) => {
    expect(foldForSearch(text)).toBe(folded)
  })

  it('keeps vowel signs in scripts where they change the letter', () => {
    expect(foldForSearch('की')).not.toBe(foldForSearch('कि'))
    expect(foldForSearch('が')).not.toBe(foldForSearch('か'))
  })

  it('returns a text that fits into an index row together with the title', () => {
    for (const letter of ['㌀', '𠀀', 'ﷺ', 'ΐ', 'ŉ', 'ﬃ', 'ß', '각']) {
      const title = letter.repeat(255)
      const bytes = Buffer.byteLength(title) + Buffer.byteLength(foldForSearch(title))
      expect(bytes, letter).toBeLessThan(2600)
    }
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldForSearch(text)
        expect(foldForSearch(folded)).toBe(folded)
      }),
    )
  })
})

describe('grams', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcé 1 中'), maxLength: 40 })

  it('include, for a title, the grams of every search term that the title contains', () => {
    fc.assert(
      fc.property(text, text, text, (before, needle, after) => {
        const all = new Set(gramsOf('acme12', before + needle + after))
        expect(needleGramsOf('acme12', needle).every((gram) => all.has(gram))).toBe(true)
      }),
    )
  })

  it('are distinct 32-bit integers', () => {
    fc.assert(
      fc.property(text, (title) => {
        const grams = gramsOf('acme12', title)
        expect(new Set(grams).size).toBe(grams.length)
        expect(grams.every((gram) => (gram | 0) === gram)).toBe(true)
      }),
    )
  })

  it('differ between two organizations for the same title', () => {
    const ours = new Set(gramsOf('acme12', 'lecture notes'))
    expect(gramsOf('other1', 'lecture notes').filter((gram) => ours.has(gram))).toEqual([])
  })

  it.each([
    ['', 0],
    ['a', 0],
    ['ab', 1],
    ['abc', 1],
    ['lecture', 2],
    ['a needle of rather more than twenty letters', 6],
  ])('of the search term "%s" are limited to %i', (needle, count) => {
    expect(needleGramsOf('acme12', needle)).toHaveLength(count)
  })
})

describe('needleOf', () => {
  it('ignores white space around the search text', () => {
    const needle = needleOf('acme12', 'zurich')
    for (const text of [' zurich ', '\tZürich\n', '\u00a0zurich\u3000'])
      expect(needleOf('acme12', text)).toEqual(needle)
    expect(needleOf('acme12', 'a b')?.text).toBe('a b')
  })

  it('returns undefined if nothing is left', () => {
    for (const text of ['', '  ', '\u3000']) expect(needleOf('acme12', text)).toBeUndefined()
  })
})
