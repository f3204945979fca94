import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { librarySearch } from '../../pages/library/library-search.ts'
import { searchAddress } from '../../pages/search/search-address.ts'
import { videoSearch } from '../../pages/video/start-time.ts'
import {
  invitationQuery,
  meQuery,
  passkeysQuery,
  queryClient,
  recoveryQuery,
  sessionsQuery,
  signInQuery,
} from '../queries.ts'
import { withTexts } from '../texts/languages.ts'
import { organizationRoute, rootRoute, signedInRoute } from './base-routes.tsx'
import { chosenOrganization } from './chosen-organization.ts'
import { linkToken } from './link-token.ts'
import { settingsRoutes } from './settings-routes.tsx'

/** Opens the library of the organization that was used last. People without an organization see what to do. */
const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: ({ context: { me } }) => {
    const organization = chosenOrganization(me.memberships)?.organization_id
    if (organization) throw redirect({ to: '/o/$organization/library', params: { organization }, search: {} })
  },
}).lazy(() => withTexts('signed-in', import('../../pages/start/start-page.tsx')).then(({ startPage }) => startPage))

const libraryModule = () => import('../../pages/library/views/library-page.tsx')

const libraryRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/library',
  validateSearch: librarySearch,
  loaderDeps: ({ search }) => search,
  // Not awaited: the page is shown before its videos.
  loader: ({ params: { organization }, deps: search }) => {
    void libraryModule().then(({ prefetchVideos }) => prefetchVideos(organization, search))
  },
}).lazy(() => withTexts('library', libraryModule()).then(({ libraryPage }) => libraryPage))

const trashRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/trash' }).lazy(() =>
  withTexts('library', import('../../pages/trash/trash-page.tsx')).then(({ trashPage }) => trashPage),
)

const uploadsRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/uploads' }).lazy(() =>
  withTexts('uploads', import('../../pages/uploads/page/uploads-page.tsx')).then(({ uploadsPage }) => uploadsPage),
)

const searchRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/search',
  validateSearch: searchAddress,
}).lazy(() =>
  withTexts('library', import('../../pages/search/page/search-page.tsx')).then(({ searchPage }) => searchPage),
)

const videoRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/videos/$video',
  validateSearch: videoSearch,
}).lazy(() => withTexts('video', import('../../pages/video/video-page.tsx')).then(({ videoPage }) => videoPage))

/** The studio uses the player of the video page, and its texts. */
const studioRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/videos/$video/chapters' }).lazy(() =>
  withTexts('video', withTexts('studio', import('../../pages/studio/studio-page.tsx'))).then(
    ({ studioPage }) => studioPage,
  ),
)

/** The captions editor has the timeline of the studio, and its texts. */
const captionsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/videos/$video/captions/$track',
}).lazy(() =>
  withTexts('video', withTexts('studio', import('../../pages/captions/captions-page.tsx'))).then(
    ({ captionsPage }) => captionsPage,
  ),
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
  withTexts('signed-in', import('../../pages/account/account-page.tsx')).then(({ accountPage }) => accountPage),
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
}).lazy(() =>
  withTexts('entrance', import('../../pages/sign-in/sign-in-page.tsx')).then(({ signInPage }) => signInPage),
)

/** The pages of links show why a link does not work, so a failed request is no error of the loader. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  loader: async ({ context }) => {
    const token = linkToken('invitation')
    const invitation = token === undefined ? undefined : context.queryClient.prefetchQuery(invitationQuery(token))
    await Promise.all([invitation, context.queryClient.prefetchQuery(meQuery)])
  },
}).lazy(() =>
  withTexts('entrance', import('../../pages/invitation/invitation-page.tsx')).then(
    ({ invitationPage }) => invitationPage,
  ),
)

const recoveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/recovery',
  loader: async ({ context }) => {
    const token = linkToken('recovery')
    if (token !== undefined) await context.queryClient.prefetchQuery(recoveryQuery(token))
  },
}).lazy(() =>
  withTexts('entrance', import('../../pages/recovery/recovery-page.tsx')).then(({ recoveryPage }) => recoveryPage),
)

const routeTree = rootRoute.addChildren([
  signedInRoute.addChildren([
    startRoute,
    accountRoute,
    organizationRoute.addChildren([
      libraryRoute,
      searchRoute,
      trashRoute,
      uploadsRoute,
      videoRoute,
      studioRoute,
      captionsRoute,
      settingsRoutes,
    ]),
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
