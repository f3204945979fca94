/** Finds a small subset that still fails, by delta debugging (the algorithm ddmin of Zeller and Hildebrandt). */

/** Returns a subset of `items` that fails, from which no single item can be removed if `fails` is deterministic. */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (subset: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let [current, parts] = [items, 2]
  while (current.length >= 2) {
    const chunks = split(current, parts)
    const smaller = await findFailing(current, chunks, fails)
    if (smaller) {
      parts = chunks.includes(smaller) ? 2 : Math.max(parts - 1, 2)
      current = smaller
    } else if (parts >= current.length) return current
    else parts = Math.min(2 * parts, current.length)
  }
  return current
}

/** The first of the chunks, or of the rests without one chunk, that fails. */
async function findFailing<Item>(
  items: readonly Item[],
  chunks: readonly (readonly Item[])[],
  fails: (subset: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  const rests = chunks.map((chunk) => items.filter((item) => !chunk.includes(item)))
  // With two chunks, the rest without one is the other.
  for (const subset of chunks.length === 2 ? chunks : [...chunks, ...rests]) {
    if (await fails(subset)) return subset
  }
  return undefined
}

function split<Item>(items: readonly Item[], parts: number): (readonly Item[])[] {
  const size = items.length / parts
  return Array.from({ length: parts }, (_, index) =>
    items.slice(Math.round(index * size), Math.round((index + 1) * size)),
  )
}
