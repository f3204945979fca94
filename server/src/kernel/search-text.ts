/**
 * How a title is searched.
 *
 * Title and needle are folded alike (no case, no accents), and a match is a plain substring of the
 * folded title. To find the few titles that can match among millions, each title is indexed by its
 * grams: a hash of the organization with every two and every three neighbouring characters. The
 * organization is part of the hash, so one organization's search never reads what belongs to another,
 * however large that one is. A hash may collide; the substring test afterwards decides.
 */

/** Accents of Latin, Greek and Cyrillic. Vowel signs of other scripts carry meaning and stay. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g

/** Letters that people read as a plain one but that Unicode does not decompose. */
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
    .toUpperCase() // so that ß becomes SS
    .toLowerCase()
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC')
}

/** Every gram of a folded title, each once. */
export function gramsOf(organizationId: string, folded: string): number[] {
  const seed = hash(OFFSET_BASIS, organizationId)
  const grams = new Set<number>()
  for (let start = 0; start + 1 < folded.length; start++) {
    const pair = step(step(seed, folded.charCodeAt(start)), folded.charCodeAt(start + 1))
    grams.add(pair)
    if (start + 2 < folded.length) grams.add(step(pair, folded.charCodeAt(start + 2)))
  }
  return [...grams]
}

/**
 * The grams that every match must have: pairs for a needle of two characters, else triples spread over
 * its whole length. A single character has none: such a search reads the list itself.
 *
 * Two suffice for a word. More narrow a long needle further, but make Postgres, which takes each gram for
 * a separate piece of luck, believe that a common word is rare.
 */
export function needleGramsOf(organizationId: string, foldedNeedle: string): number[] {
  const width = Math.min(3, foldedNeedle.length)
  if (width < 2) return []
  const seed = hash(OFFSET_BASIS, organizationId)
  const wanted = Math.min(6, Math.max(2, Math.ceil(foldedNeedle.length / 4)))
  const starts = spread(foldedNeedle.length - width + 1, wanted)
  return [...new Set(starts.map((start) => hash(seed, foldedNeedle.slice(start, start + width))))]
}

/** At most `most` of the numbers 0 … count - 1, first and last among them, evenly apart. */
function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)))
}

/** FNV-1a over UTF-16 units, as a signed 32-bit integer like Postgres' own. */
const OFFSET_BASIS = 0x811c9dc5 | 0
const step = (state: number, unit: number) => Math.imul(state ^ unit, 0x01000193)

function hash(seed: number, text: string): number {
  let state = seed
  for (let index = 0; index < text.length; index++) state = step(state, text.charCodeAt(index))
  return state
}

/** A title with what is stored beside it so that it can be found. */
export function titleForSearch(organizationId: string, title: string) {
  const searchTitle = foldForSearch(title)
  return { title, searchTitle, grams: gramsOf(organizationId, searchTitle) }
}

/** What a search looks for: a folded text that is not empty, and grams, none if it is too short to have any. */
export type Needle = { readonly text: string; readonly grams: readonly number[] }

/** Undefined when nothing is left to look for. */
export function needleOf(organizationId: string, text: string): Needle | undefined {
  const folded = foldForSearch(text)
  return folded === '' ? undefined : { text: folded, grams: needleGramsOf(organizationId, folded) }
}
