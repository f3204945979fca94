import type { ListAssetsQuery } from 'reelkeep'
import type { AssetFilter } from '../actions/asset-target.ts'
import { DEFAULT_ORDER, isFiltered, type LibrarySearch, listIn, parts, statuses } from '../library-search.ts'

const MINUTE = 60
const lengthFilters = {
  short: { duration_max: 4 * MINUTE },
  medium: { duration_min: 4 * MINUTE, duration_max: 20 * MINUTE },
  long: { duration_min: 20 * MINUTE },
} as const

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const startOf = (date: string) => new Date(`${date}T00:00:00`).toISOString()
const endOf = (date: string) =>
  // A day has 23 or 25 hours when the clocks change, so the next day is found by its date.
  startOf(new Date(Date.parse(`${date}T12:00:00Z`) + DAY_MILLISECONDS).toISOString().slice(0, 10))

/** The filter of the API. In a folder, a search also finds what is in its subfolders. */
export function filterOf(search: LibrarySearch): AssetFilter {
  const { folder, q, tag, length, from, to } = search
  const [status, has] = [listIn(statuses, search.status), listIn(parts, search.has)]
  return {
    ...(folder && { folder, ...(isFiltered(search) && { recursive: true }) }),
    ...(q && { q }),
    ...(status.length > 0 && { status: [...status] }),
    ...(tag && { tag: [tag] }),
    ...(has.length > 0 && { has: [...has] }),
    ...(length && lengthFilters[length]),
    ...(from && { created_after: startOf(from) }),
    ...(to && { created_before: endOf(to) }),
  }
}

export type AssetListQuery = Pick<ListAssetsQuery, 'order'> & AssetFilter

export const listQueryOf = (search: LibrarySearch): AssetListQuery => ({
  ...filterOf(search),
  order: search.order ?? DEFAULT_ORDER,
})
