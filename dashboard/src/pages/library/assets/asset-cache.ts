/** Keeps the loaded lists of videos current without reading them again. */
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { Organization } from '../../../app/organization/organization-type.ts'
import { chunksOf } from '../actions/asset-target.ts'
import type { AssetListQuery } from './asset-filter.ts'
import { assetsKey, readMatching } from './asset-query.ts'
import type { AssetPage, ListedVideo } from './listed-video.ts'
import { patchedPages, updatedPages } from './video-pages.ts'

type Pages = InfiniteData<AssetPage, string | undefined>

/** The API finds this many ids per request. */
const IDS_MAX = 100

/** Reads the videos again, and changes, adds or removes them in the lists on the screen. */
export async function refreshAssets(
  queryClient: QueryClient,
  organization: Organization,
  ids: readonly string[],
): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey: assetsKey(organization) })
  for (const query of queries) {
    if (!query.isActive()) queryClient.removeQueries({ queryKey: query.queryKey, exact: true })
    else await refreshList(queryClient, organization, query, ids)
  }
}

async function refreshList(
  queryClient: QueryClient,
  organization: Organization,
  list: Query,
  ids: readonly string[],
): Promise<void> {
  const query = list.queryKey[3] as AssetListQuery
  for (const chunk of chunksOf(ids, IDS_MAX)) {
    // A page that is being loaded is added to the videos as they were before, so it would undo this change.
    do {
      await list.promise?.catch(() => {})
      const found = await readMatching(organization, query, chunk)
      queryClient.setQueryData<Pages>(
        list.queryKey,
        (data) => data && updatedPages(data, { ids: new Set(chunk), found }, query.order === '-created_at'),
      )
    } while (list.state.fetchStatus === 'fetching')
  }
}

/** Changes what an event says about a video, before it is read again. */
export function patchAsset(
  queryClient: QueryClient,
  organization: Organization,
  id: string,
  patch: Partial<ListedVideo>,
): void {
  queryClient.setQueriesData<Pages>(
    { queryKey: assetsKey(organization), type: 'active' },
    (data) => data && patchedPages(data, id, patch),
  )
}

/** Removes videos from the lists on the screen. */
export function removeAssets(queryClient: QueryClient, organization: Organization, ids: ReadonlySet<string>): void {
  queryClient.setQueriesData<Pages>(
    { queryKey: assetsKey(organization), type: 'active' },
    (data) => data && updatedPages(data, { ids, found: [] }, false),
  )
}

/** Reads all lists from the start, after a change of more videos than can be named. */
export const resetAssets = (queryClient: QueryClient, organization: Organization): Promise<void> =>
  queryClient.resetQueries({ queryKey: assetsKey(organization) })
