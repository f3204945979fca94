import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, notFound, redirect } from '@tanstack/react-router'
import { isSignedOut } from '../api/request.ts'
import { librarySearch } from '../pages/library/library-search.ts'
import { chosenOrganization } from './chosen-organization.ts'
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
}).lazy(() => withTexts('signed-in', import('../shell/shell.tsx')).then(({ shell }) => shell))

/** Opens the library of the organization that was used last. People without an organization see what to do. */
const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: ({ context: { me } }) => {
    const organization = chosenOrganization(me.memberships)?.organization_id
    if (organization) throw redirect({ to: '/o/$organization/library', params: { organization }, search: {} })
  },
}).lazy(() => withTexts('signed-in', import('../pages/start/start-page.tsx')).then(({ startPage }) => startPage))

/** Pages of one organization. Others than the user's own are not found. */
const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/o/$organization',
  beforeLoad: ({ context: { me }, params: { organization } }) => {
    const membership = me.memberships.find(({ organization_id: id }) => id === organization)
    if (!membership) throw notFound()
    return { membership }
  },
})

const libraryRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/library',
  validateSearch: librarySearch,
}).lazy(() =>
  withTexts('library', import('../pages/library/views/library-page.tsx')).then(({ libraryPage }) => libraryPage),
)

const trashRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/trash' }).lazy(() =>
  withTexts('library', import('../pages/trash/trash-page.tsx')).then(({ trashPage }) => trashPage),
)

const uploadsRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/uploads' }).lazy(() =>
  withTexts('uploads', import('../pages/uploads/page/uploads-page.tsx')).then(({ uploadsPage }) => uploadsPage),
)

const videoRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/videos/$video' }).lazy(() =>
  withTexts('video', import('../pages/video/video-page.tsx')).then(({ videoPage }) => videoPage),
)

const settingsRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/settings' }).lazy(() =>
  withTexts('settings', import('../pages/settings/settings-page.tsx')).then(({ settingsPage }) => settingsPage),
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
  signedInRoute.addChildren([
    startRoute,
    accountRoute,
    organizationRoute.addChildren([libraryRoute, trashRoute, uploadsRoute, videoRoute, settingsRoute]),
  ]),
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
