import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Organization } from '../../../app/organization/organization-type.ts'
import type { AssetListQuery } from './asset-filter.ts'
import { type AssetPage, type ListedVideo, toVideo } from './listed-video.ts'

const PAGE = 100
/** Without the long addresses of streams: a page of 100 is about 60 kB. */
const FIELDS =
  'id,title,bytes,parent_id,tags,created_at,video.status,video.progress,video.duration,video.cover_thumbnail_url,video.error'

export const assetsKey = ({ id }: Pick<Organization, 'id'>) => ['o', id, 'assets']

/** More pages than these are not read again when the user returns to a list. */
const REFETCHED_PAGES_MAX = 10

/** A list of videos, page by page. */
export const assetsQuery = (organization: Pick<Organization, 'id' | 'client'>, query: AssetListQuery) =>
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
