/**
 * The longest text that can be searched for; a longer title is found by its beginning. A character
 * may take two places of it.
 */
const SEARCHED_CHARACTERS_MAX = 200 / 2

type Bounds = {
  /** As many of one title are told apart. */
  readonly countMax: number
  /** As many of nearly the same title are looked at. */
  readonly lookedAtMax?: number
}

/**
 * Those of exactly this title. The search is wider: it does not mind case, accents and what stands
 * around. The service composes the letters of a title; some keyboards, and the disks of some
 * machines, take them apart.
 */
export async function findByTitle<Item extends { readonly title: string }>(
  name: string,
  search: (q: string) => AsyncIterable<Item>,
  { countMax, lookedAtMax = Number.POSITIVE_INFINITY }: Bounds,
): Promise<Item[]> {
  const title = name.normalize('NFC')
  const found: Item[] = []
  let lookedAt = 0
  for await (const item of search([...title].slice(0, SEARCHED_CHARACTERS_MAX).join(''))) {
    if (item.title === title) found.push(item)
    if (found.length >= countMax || ++lookedAt >= lookedAtMax) break
  }
  return found
}
