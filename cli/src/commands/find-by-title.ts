/** Maximum length of a query; longer titles are searched by their beginning. A character may need two UTF-16 units. */
const QUERY_CHARACTERS_MAX = 200 / 2

type Bounds = {
  /** Maximum number of matches to return. */
  readonly countMax: number
  /** Maximum number of search results to check. */
  readonly checkedMax?: number
}

/**
 * Finds items with exactly this title. The search of the service also ignores case and accents and matches
 * substrings. Names are normalized to NFC, like titles in the service.
 */
export async function findByTitle<Item extends { readonly title: string }>(
  name: string,
  search: (q: string) => AsyncIterable<Item>,
  { countMax, checkedMax = Number.POSITIVE_INFINITY }: Bounds,
): Promise<Item[]> {
  const title = name.normalize('NFC')
  const found: Item[] = []
  let checked = 0
  for await (const item of search([...title].slice(0, QUERY_CHARACTERS_MAX).join(''))) {
    if (item.title === title) found.push(item)
    if (found.length >= countMax || ++checked >= checkedMax) break
  }
  return found
}
