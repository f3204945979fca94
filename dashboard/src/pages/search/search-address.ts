/** The state of the search page that is in its address. */

/** Kinds of texts that are searched; undefined for all. */
export const searchedTexts = ['titles', 'chapters', 'transcript'] as const
type SearchedText = (typeof searchedTexts)[number]

export type SearchAddress = {
  readonly q?: string
  readonly in?: SearchedText
  /** Search only this folder and those below it. */
  readonly folder?: string
}

const text = (value: unknown) => {
  // The router parses a search for `2026` as a number.
  const known = typeof value === 'number' ? String(value) : value
  return typeof known === 'string' && known.trim() !== '' ? known : undefined
}

/** Reads the parameters of the address, without those that mean nothing. */
export function searchAddress(search: Record<string, unknown>): SearchAddress {
  const [q, folder] = [text(search['q']), text(search['folder'])]
  const searched = searchedTexts.find((one) => one === search['in'])
  return { ...(q && { q }), ...(searched && { in: searched }), ...(folder && { folder }) }
}
