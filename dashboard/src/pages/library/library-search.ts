/** The state of the library that is in its address: folder, search, filters and order. */
export type LibrarySearch = {
  readonly folder?: string
  readonly q?: string
  /** Statuses, separated by commas. */
  readonly status?: string
  readonly tag?: string
  /** `subtitles`, `chapters`, `error`, separated by commas. */
  readonly has?: string
  readonly length?: VideoLength
  /** Dates such as 2026-11-18, in the time zone of the browser. */
  readonly from?: string
  readonly to?: string
  readonly order?: AssetOrder
}

export const statuses = ['Not Started', 'Queued', 'Processing', 'Completed', 'Error', 'Cancelled'] as const
export type Status = (typeof statuses)[number]
export const parts = ['subtitles', 'chapters', 'error'] as const
export const lengths = ['short', 'medium', 'long'] as const
export type VideoLength = (typeof lengths)[number]
export const orders = [
  '-created_at',
  'created_at',
  'title',
  '-title',
  '-updated_at',
  '-duration',
  'duration',
  '-bytes',
] as const
export type AssetOrder = (typeof orders)[number]
export const DEFAULT_ORDER: AssetOrder = '-created_at'

const text = (value: unknown) => {
  // The router parses a search for `2026` as a number.
  const known = typeof value === 'number' ? String(value) : value
  return typeof known === 'string' && known.trim() !== '' ? known : undefined
}

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((one) => one === value)

/** The known values of a list with commas. */
export const listIn = <T extends string>(known: readonly T[], value: string | undefined): readonly T[] =>
  known.filter((one) => value?.split(',').includes(one))

const listText = <T extends string>(known: readonly T[], value: unknown) =>
  listIn(known, text(value)).join(',') || undefined

const date = (value: unknown) => {
  const given = text(value)
  return given && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined
}

/** Reads the parameters of the address, without those that mean nothing. */
export function librarySearch(search: Record<string, unknown>): LibrarySearch {
  const order = oneOf(orders, search['order'])
  const found = {
    folder: text(search['folder']),
    q: text(search['q']),
    status: listText(statuses, search['status']),
    tag: text(search['tag']),
    has: listText(parts, search['has']),
    length: oneOf(lengths, search['length']),
    from: date(search['from']),
    to: date(search['to']),
    order: order === DEFAULT_ORDER ? undefined : order,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

const filterNames = ['status', 'tag', 'has', 'length', 'from', 'to'] as const

/** Number of filters, without the search text. */
export const filterCount = (search: LibrarySearch) => filterNames.filter((name) => search[name] !== undefined).length

export const isFiltered = (search: LibrarySearch) => search.q !== undefined || filterCount(search) > 0

/** The same folder and order without search and filters. */
export const withoutFilters = ({ folder, order }: LibrarySearch): LibrarySearch => ({
  ...(folder && { folder }),
  ...(order && { order }),
})

/** Changes some parameters of the address; undefined removes one. */
export type ChangeSearch = (
  changes: {
    readonly [Name in keyof LibrarySearch]?: LibrarySearch[Name] | undefined
  },
) => void
