/**
 * Folder titles for benchmarks, generated from the row number, so that every run has the same titles. As in a real
 * archive, a few words are frequent, most words are in few titles, and some are rare.
 */

const words = (text: string) => text.split(' ')
const common = words('lecture seminar archive project')
const middling = words(
  'interview workshop concert rehearsal festival documentary tutorial keynote panel briefing ' +
    'campaign training onboarding review highlight trailer',
)
const places = words(
  'Berlin Nairobi Osaka Lima Chennai Oslo Toronto Perth Zürich Málaga Kraków Lyon Porto Quito Dakar Hanoi',
)

/** One title in this many has the rare word. */
const RARE_EVERY = 400_000
export const rareWord = 'xylophone'

/** A word that is in about an eighth of all titles, which is over a million of ten million. */
export const commonWord = 'lecture'

export function titleOf(row: number): string {
  const random = mix(row)
  const word = random % 2 === 0 ? pick(common, random >>> 1) : pick(middling, random >>> 1)
  const place = pick(places, random >>> 8)
  const number = row.toString(36).padStart(5, '0')
  if (row % RARE_EVERY === 7) return `${place} ${rareWord} ${number}`
  return `${place} ${word} ${number}`
}

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Generates an identifier that is different for every row and in no order, like a random one. */
export function uuidOf(row: number): string {
  let rest = BigInt(mix(row)) * 0x1_0000_0000n + BigInt(mix(row ^ 0x5bd1e995))
  rest ^= BigInt(row) << 20n
  let text = ''
  for (let place = 0; place < 11; place++) {
    text += letters.charAt(Number(rest % 58n))
    rest /= 58n
  }
  return text
}

/** Parent of a folder in a tree with ten children per folder, which has seven levels for ten million folders. */
export const parentRowOf = (row: number) => (row < 10 ? undefined : Math.floor(row / 10) - 1)

const pick = (words: readonly string[], random: number) => words[random % words.length] ?? ''

/** A 32-bit integer hash (Murmur's finalizer), unsigned. */
function mix(value: number): number {
  let state = Math.imul(value ^ 0x9e3779b9, 0x85ebca6b)
  state ^= state >>> 13
  state = Math.imul(state, 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
