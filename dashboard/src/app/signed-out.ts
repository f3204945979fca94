import { isSignedOut } from '../api/request.ts'
import { queryClient } from './queries.ts'
import type { openRouter } from './router.tsx'

/** Shows the sign-in page when a request of a signed-in page reports that the session has ended. */
export function leaveWhenSignedOut(router: ReturnType<typeof openRouter>): void {
  const leave = (error: unknown) => {
    if (!isSignedOut(error) || !router.state.matches.some(({ routeId }) => routeId.startsWith('/signed-in'))) return
    queryClient.clear()
    void router.navigate({ to: '/sign-in', search: { return_to: router.state.location.href } })
  }
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') leave(event.action.error)
  })
  queryClient.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') leave(event.action.error)
  })
}
