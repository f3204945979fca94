import { isSignedOut } from '../../api/request.ts'
import { queryClient } from '../queries.ts'
import type { openRouter } from './router.tsx'

/** Shows the sign-in page when a request of a signed-in page reports that the session has ended. */
export function leaveWhenSignedOut(router: ReturnType<typeof openRouter>): void {
  let isLeaving = false
  const leave = async (error: unknown) => {
    const isSignedInPage = router.state.matches.some(({ routeId }) => routeId.startsWith('/signed-in'))
    if (isLeaving || !isSignedInPage || !isSignedOut(error)) return
    isLeaving = true
    // Several requests may fail at once. The data is removed last, because the page would request it again.
    await router.navigate({ to: '/sign-in', search: { return_to: router.state.location.href } })
    queryClient.clear()
    isLeaving = false
  }
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void leave(event.action.error)
  })
  queryClient.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void leave(event.action.error)
  })
}
