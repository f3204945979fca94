/**
 * Title search.
 *
 * Titles and needles (search texts) are folded (case and accents removed), and a match is a substring of the folded
 * title. An index on grams finds the candidates among millions of titles: hashes of the organization with every two and
 * every three adjacent characters. The organization is part of the hash, so a search never reads index entries of
 * another organization. Hashes may collide; the substring test decides.
 */

/** Combining accents of Latin, Greek and Cyrillic. Vowel signs of other scripts change the letter, so they are kept. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g

/** Letters that Unicode does not decompose, with the letters they are searched as. */
const plainLetters: Record<string, string> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ß: 'ss',
  ς: 'σ',
  ŧ: 't',
}
const undecomposed = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')
const onlyAscii = /^[\x20-\x7e]*$/

export function foldForSearch(text: string): string {
  if (onlyAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFD')
    .replace(accents, '')
    .toUpperCase() // ß becomes SS
    .toLowerCase()
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC')
}

/** The distinct grams of a folded title. */
export function gramsOf(organizationId: string, folded: string): number[] {
  const seed = hash(OFFSET_BASIS, organizationId)
  const grams = new Set<number>()
  for (let start = 0; start + 1 < folded.length; start++) {
    const pair = fnvStep(fnvStep(seed, folded.charCodeAt(start)), folded.charCodeAt(start + 1))
    grams.add(pair)
    if (start + 2 < folded.length) grams.add(fnvStep(pair, folded.charCodeAt(start + 2)))
  }
  return [...grams]
}

/**
 * Grams that every match must have: pairs for a needle of two characters, otherwise triples spread over its
 * length. A single character has none; such a search scans the list.
 *
 * Two grams are enough for a word. More would narrow a long needle further, but Postgres treats them as independent
 * and would underestimate the number of matches of a common word.
 */
export function needleGramsOf(organizationId: string, foldedNeedle: string): number[] {
  const width = Math.min(3, foldedNeedle.length)
  if (width < 2) return []
  const seed = hash(OFFSET_BASIS, organizationId)
  const gramCount = Math.min(6, Math.max(2, Math.ceil(foldedNeedle.length / 4)))
  const starts = evenlySpaced(foldedNeedle.length - width + 1, gramCount)
  return [...new Set(starts.map((start) => hash(seed, foldedNeedle.slice(start, start + width))))]
}

/** At most `limit` of the numbers 0 … count - 1, evenly spaced, including the first and the last. */
function evenlySpaced(count: number, limit: number): number[] {
  if (count <= limit) return Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: limit }, (_, index) => Math.round((index * (count - 1)) / (limit - 1)))
}

/** FNV-1a over UTF-16 units, as a signed 32-bit integer like Postgres' `integer`. */
const OFFSET_BASIS = 0x811c9dc5 | 0
const fnvStep = (state: number, unit: number) => Math.imul(state ^ unit, 0x01000193)

function hash(seed: number, text: string): number {
  let state = seed
  for (let index = 0; index < text.length; index++) state = fnvStep(state, text.charCodeAt(index))
  return state
}

/** A title with its search columns. */
export function titleForSearch(organizationId: string, title: string) {
  const searchTitle = foldForSearch(title)
  return { title, searchTitle, grams: gramsOf(organizationId, searchTitle) }
}

/** A folded search text, not empty, and its grams; no grams if the text has one character. */
export type Needle = { readonly text: string; readonly grams: readonly number[] }

/** Trims and folds a search text and returns its grams; undefined if nothing is left. */
export function needleOf(organizationId: string, text: string): Needle | undefined {
  const folded = foldForSearch(text.trim())
  return folded === '' ? undefined : { text: folded, grams: needleGramsOf(organizationId, folded) }
}
