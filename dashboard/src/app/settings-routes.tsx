import { createRoute, redirect } from '@tanstack/react-router'
import type { Membership } from '../api/account.ts'
import { organizationRoute } from './base-routes.tsx'
import { withTexts } from './languages.ts'
import { permittedSections, type SectionId } from './settings-sections.ts'

const settingsRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/settings' }).lazy(() =>
  withTexts('settings', import('../pages/settings/settings-page.tsx')).then(({ settingsPage }) => settingsPage),
)

type Opening = { readonly context: { readonly membership: Membership }; readonly params: { organization: string } }

/** Opens the first section that the user's role permits. */
const indexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  beforeLoad: ({ context: { membership }, params }: Opening) => {
    const [section] = permittedSections(membership)
    if (section) throw redirect({ to: section.path, params, replace: true })
  },
}).lazy(() =>
  withTexts('settings', import('../pages/settings/no-sections-page.tsx')).then(({ noSectionsPage }) => noSectionsPage),
)

/** Sends members whose role does not permit the section to the first one that it permits. */
const permitted =
  (id: SectionId) =>
  ({ context: { membership }, params: { organization } }: Opening) => {
    if (permittedSections(membership).some((section) => section.id === id)) return
    throw redirect({ to: '/o/$organization/settings', params: { organization }, replace: true })
  }

const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/members',
  beforeLoad: permitted('members'),
}).lazy(() =>
  withTexts('settings', import('../pages/settings/members/members-page.tsx')).then(({ membersPage }) => membersPage),
)

const tokensRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/tokens',
  beforeLoad: permitted('tokens'),
}).lazy(() =>
  withTexts('settings', import('../pages/settings/tokens/tokens-page.tsx')).then(({ tokensPage }) => tokensPage),
)

export const settingsRoutes = settingsRoute.addChildren([indexRoute, membersRoute, tokensRoute])
