/** Form in which tags are compared: without case. */
export const tagKeyOf = (tag: string) => tag.toLowerCase()

/**
 * Returns the tags trimmed, in NFC and in the order of their keys. Of tags that differ only in case, the first is kept;
 * blank ones are left out.
 */
export function cleanTags(raw: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const text of raw) {
    const tag = text.trim().normalize('NFC')
    const key = tagKeyOf(tag)
    if (tag !== '' && !byKey.has(key)) byKey.set(key, tag)
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag)
}
