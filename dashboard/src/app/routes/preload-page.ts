import { meQuery, queryClient } from '../queries.ts'
import type { openRouter } from './router.tsx'

/**
 * Starts to load the scripts of the page and the account of the user. The router would do so one after the other, and
 * only after the texts were loaded.
 */
export function preloadPage(router: ReturnType<typeof openRouter>): void {
  const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname)
  for (const route of matchedRoutes) void router.loadRouteChunk(route)
  if (matchedRoutes.some(({ id }) => id === '/signed-in')) void queryClient.prefetchQuery(meQuery)
}
