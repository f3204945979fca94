import { infiniteQueryOptions } from '@tanstack/react-query'
import type { ListAssetsQuery } from 'reelkeep'
import type { Organization } from '../../../app/organization/organization.tsx'
import type { AssetFilter } from '../actions/asset-target.ts'
import { DEFAULT_ORDER, isFiltered, type LibrarySearch, listIn, parts, statuses } from '../library-search.ts'
import { type AssetPage, type ListedVideo, toVideo } from './listed-video.ts'

const PAGE = 100
/** Without the long addresses of streams: a page of 100 is about 60 kB. */
export const FIELDS =
  'id,title,bytes,parent_id,tags,created_at,video.status,video.progress,video.duration,video.cover_thumbnail_url,video.error'

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

export const assetsKey = ({ id }: Organization) => ['o', id, 'assets']

/** More pages than these are not read again when the user returns to a list. */
const REFETCHED_PAGES_MAX = 10

/** A list of videos, page by page. */
export const assetsQuery = (organization: Organization, query: AssetListQuery) =>
  infiniteQueryOptions({
    queryKey: [...assetsKey(organization), query],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<AssetPage> => {
      const position = pageParam === undefined ? {} : { cursor: pageParam }
      const page = await organization.client.assets.list(
        { ...query, ...position, limit: PAGE, fields: FIELDS },
        { signal },
      )
      return { count: page.count, nextCursor: page.nextCursor, videos: page.results.map(toVideo) }
    },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Comparing all pages with the previous ones costs more than rendering.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchOnMount: ({ state }) => (state.data?.pages.length ?? 0) <= REFETCHED_PAGES_MAX,
  })

/** Those of the videos that match the query now. */
export async function readMatching(
  { client }: Organization,
  query: AssetListQuery,
  ids: readonly string[],
): Promise<readonly ListedVideo[]> {
  const { order, ...filter } = query
  const page = await client.assets.list({ ...filter, id: [...ids], limit: PAGE, fields: FIELDS })
  return page.results.map(toVideo)
}
