import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { clientOf } from '../../../api/client.ts'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { listQueryOf } from '../assets/asset-filter.ts'
import { assetsQuery } from '../assets/asset-query.ts'
import type { ListedVideo } from '../assets/listed-video.ts'
import { videosIn } from '../assets/video-pages.ts'
import type { LibrarySearch } from '../library-search.ts'

/** The videos that the address shows, as far as they have been loaded. */
export type Videos = {
  /** Differs for each folder, filter and order. */
  readonly key: string
  readonly search: LibrarySearch
  readonly videos: readonly ListedVideo[]
  /** Null if more than 10,000 videos match. */
  readonly count: number | null
  readonly isLoaded: boolean
  readonly error: unknown
  readonly loadMore: () => void
  readonly retry: () => void
}

/** Starts to load the first videos before the page is rendered. */
export function prefetchVideos(organization: string, search: LibrarySearch): void {
  const query = assetsQuery({ id: organization, client: clientOf(organization) }, listQueryOf(search))
  if (!queryClient.getQueryState(query.queryKey)) void queryClient.prefetchInfiniteQuery(query)
}

export function useVideos(search: LibrarySearch): Videos {
  const organization = useOrganization()
  const query = useMemo(() => listQueryOf(search), [search])
  const { data, error, isSuccess, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    assetsQuery(organization, query),
  )
  const videos = useMemo(() => (data ? videosIn(data) : []), [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return {
    ...{ key: JSON.stringify(query), search, videos, count: data?.pages[0]?.count ?? null, isLoaded: isSuccess },
    ...{ error, loadMore, retry: () => void refetch() },
  }
}
