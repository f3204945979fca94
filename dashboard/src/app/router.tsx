import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { isSignedOut } from '../api/request.ts'
import { ErrorPage } from './error-page.tsx'
import { withTexts } from './languages.ts'
import { linkToken } from './link-token.ts'
import { NotFoundPage } from './not-found-page.tsx'
import {
  invitationQuery,
  meQuery,
  passkeysQuery,
  queryClient,
  recoveryQuery,
  sessionsQuery,
  signInQuery,
} from './queries.ts'

type Context = { readonly queryClient: QueryClient }

const rootRoute = createRootRouteWithContext<Context>()({
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
})

/** Pages for people who are signed in; others are sent to the sign-in page and return afterwards. */
const signedInRoute = createRoute({
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
}).lazy(() =>
  withTexts('signed-in', import('../pages/signed-in/signed-in-layout.tsx')).then(
    ({ signedInLayout }) => signedInLayout,
  ),
)

const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/' }).lazy(() =>
  withTexts('signed-in', import('../pages/start/start-page.tsx')).then(({ startPage }) => startPage),
)

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  loader: async ({ context: { queryClient, me } }) => {
    const isLocal = me.person.is_local
    await Promise.all([
      queryClient.ensureQueryData(signInQuery),
      queryClient.ensureQueryData(sessionsQuery),
      isLocal ? queryClient.ensureQueryData(passkeysQuery) : undefined,
    ])
  },
}).lazy(() =>
  withTexts('signed-in', import('../pages/account/account-page.tsx')).then(({ accountPage }) => accountPage),
)

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

type SignInSearch = { return_to?: string; error?: string }

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => {
    const [returnTo, error] = [text(search['return_to']), text(search['error'])]
    return { ...(returnTo && { return_to: returnTo }), ...(error && { error }) }
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(signInQuery),
}).lazy(() => withTexts('entrance', import('../pages/sign-in/sign-in-page.tsx')).then(({ signInPage }) => signInPage))

/** The pages of links show by themselves why a link does not work, so a failed request is no error of the loader. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  loader: async ({ context }) => {
    const token = linkToken('invitation')
    const invitation = token === undefined ? undefined : context.queryClient.prefetchQuery(invitationQuery(token))
    await Promise.all([invitation, context.queryClient.prefetchQuery(meQuery)])
  },
}).lazy(() =>
  withTexts('entrance', import('../pages/invitation/invitation-page.tsx')).then(({ invitationPage }) => invitationPage),
)

const recoveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/recovery',
  loader: async ({ context }) => {
    const token = linkToken('recovery')
    if (token !== undefined) await context.queryClient.prefetchQuery(recoveryQuery(token))
  },
}).lazy(() =>
  withTexts('entrance', import('../pages/recovery/recovery-page.tsx')).then(({ recoveryPage }) => recoveryPage),
)

const routeTree = rootRoute.addChildren([
  signedInRoute.addChildren([startRoute, accountRoute]),
  signInRoute,
  invitationRoute,
  recoveryRoute,
])

/** Reads the address of the page. */
export const openRouter = () => createRouter({ routeTree, context: { queryClient } })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof openRouter>
  }
}
