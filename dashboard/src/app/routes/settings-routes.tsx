import { createRoute, redirect } from '@tanstack/react-router'
import type { Membership } from '../../api/account.ts'
import { withTexts } from '../texts/languages.ts'
import { organizationRoute } from './base-routes.tsx'
import { permittedSections, type SectionId } from './settings-sections.ts'

const settingsRoute = createRoute({ getParentRoute: () => organizationRoute, path: '/settings' }).lazy(() =>
  withTexts('settings', import('../../pages/settings/settings-page.tsx')).then(({ settingsPage }) => settingsPage),
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
  withTexts('settings', import('../../pages/settings/no-sections-page.tsx')).then(
    ({ noSectionsPage }) => noSectionsPage,
  ),
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
  withTexts('settings', import('../../pages/settings/members/members-page.tsx')).then(({ membersPage }) => membersPage),
)

const rolesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/roles',
  beforeLoad: permitted('roles'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/roles/roles-page.tsx')).then(({ rolesPage }) => rolesPage),
)

const organizationSettingsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/organization',
  beforeLoad: permitted('organization'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/organization/organization-page.tsx')).then(
    ({ organizationPage }) => organizationPage,
  ),
)

const usageRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/usage',
  beforeLoad: permitted('usage'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/usage/usage-page.tsx')).then(({ usagePage }) => usagePage),
)

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/audit',
  beforeLoad: permitted('audit'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/audit/audit-page.tsx')).then(({ auditPage }) => auditPage),
)

const tokensRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/tokens',
  beforeLoad: permitted('tokens'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/tokens/tokens-page.tsx')).then(({ tokensPage }) => tokensPage),
)

const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/signing-keys',
  beforeLoad: permitted('keys'),
}).lazy(() => withTexts('settings', import('../../pages/settings/keys/keys-page.tsx')).then(({ keysPage }) => keysPage))

const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks',
  beforeLoad: permitted('webhooks'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/webhooks/webhooks-page.tsx')).then(
    ({ webhooksPage }) => webhooksPage,
  ),
)

const webhookRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks/$webhook',
  beforeLoad: (opening) => permitted('webhooks')(opening),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/webhooks/webhook-page.tsx')).then(
    ({ webhookPage }) => webhookPage,
  ),
)

const eventsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/events',
  beforeLoad: permitted('events'),
}).lazy(() =>
  withTexts('settings', import('../../pages/settings/events/events-page.tsx')).then(({ eventsPage }) => eventsPage),
)

export const settingsRoutes = settingsRoute.addChildren([
  indexRoute,
  membersRoute,
  rolesRoute,
  organizationSettingsRoute,
  usageRoute,
  auditRoute,
  tokensRoute,
  keysRoute,
  webhooksRoute,
  webhookRoute,
  eventsRoute,
])
