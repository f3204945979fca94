/** The routes below which all pages are. */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound, redirect } from '@tanstack/react-router'
import { isSignedOut } from '../../api/request.ts'
import { meQuery } from '../queries.ts'
import { withTexts } from '../texts/languages.ts'
import { ErrorPage } from './error-page.tsx'
import { NotFoundPage, notMember } from './not-found-page.tsx'

type Context = { readonly queryClient: QueryClient }

export const rootRoute = createRootRouteWithContext<Context>()({
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
})

/** Pages for people who are signed in; others are sent to the sign-in page and return afterwards. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    try {
      return { me: await context.queryClient.ensureQueryData(meQuery) }
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { return_to: location.href } })
    }
  },
}).lazy(() => withTexts('signed-in', import('../../shell/shell.tsx')).then(({ shell }) => shell))

/** Pages of one organization. Others than the user's own are not found. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/o/$organization',
  beforeLoad: ({ context: { me }, params: { organization } }) => {
    const membership = me.memberships.find(({ organization_id: id }) => id === organization)
    if (!membership) throw notFound({ data: notMember })
    return { membership }
  },
})
