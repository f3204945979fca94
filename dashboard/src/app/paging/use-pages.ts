import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useOrganization } from '../organization/organization.tsx'

type CursorPage<Item> = {
  readonly results: readonly Item[]
  readonly nextCursor: string | null
  readonly count?: number | null
}

export type Pages<Item> = {
  readonly items: readonly Item[]
  /** Undefined until the first page is there, and for lists that are not counted. */
  readonly count: number | undefined
  readonly isPending: boolean
  readonly error: Error | null
  readonly retry: () => void
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
}

/** Reads a list of the organization page by page. `key` identifies the list and its filters. */
export function usePages<Item>(
  key: readonly unknown[],
  readPage: (
    cursor: { readonly cursor?: string },
    options: { readonly signal: AbortSignal },
  ) => PromiseLike<CursorPage<Item>>,
): Pages<Item> {
  const { id } = useOrganization()
  const query = useInfiniteQuery({
    queryKey: ['o', id, ...key],
    queryFn: async ({ pageParam, signal }) => readPage(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })
  const pages = query.data?.pages ?? []
  return {
    items: pages.flatMap(({ results }) => results),
    count: pages[0]?.count ?? undefined,
    isPending: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}
