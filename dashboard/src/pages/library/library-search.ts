/** What the address of the library shows: folder, search, filters and order. */
export type LibrarySearch = { readonly folder?: string; readonly q?: string }

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export function librarySearch(search: Record<string, unknown>): LibrarySearch {
  const [folder, q] = [text(search['folder']), text(search['q'])]
  return { ...(folder && { folder }), ...(q && { q }) }
}
