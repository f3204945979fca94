import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { ConfirmedActions } from '../app/confirmed-actions.tsx'
import { Shortcuts } from '../app/keyboard/shortcuts.tsx'
import { LiveEvents } from '../app/live/live.tsx'
import { OrganizationProvider } from '../app/organization/organization.tsx'
import { meQuery } from '../app/queries.ts'
import { chooseOrganization, chosenOrganization } from '../app/routes/chosen-organization.ts'
import { Toasts } from '../app/toasts.tsx'
import { Uploads } from '../pages/uploads/dock/uploads.tsx'
import { IconButton } from '../ui/button.tsx'
import { icons, Logo } from '../ui/icons.tsx'
import { ServiceStatus } from './service-status.tsx'
import styles from './shell.module.css'
import { ShellShortcuts } from './shell-shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'

export const shell = createLazyRoute('/signed-in')({ component: Shell })

/** The frame of all pages for people who are signed in: navigation, messages, uploads and shortcuts. */
function Shell() {
  return (
    <Toasts>
      <Shortcuts>
        <ConfirmedActions>
          <OfOrganization>
            <ShellShortcuts />
            <Frame />
          </OfOrganization>
        </ConfirmedActions>
      </Shortcuts>
    </Toasts>
  )
}

/** Provides the organization in the address, otherwise the one that was chosen last. */
function OfOrganization({ children }: { readonly children: ReactNode }) {
  const { data: me } = useSuspenseQuery(meQuery)
  const { organization } = useParams({ strict: false })
  const inAddress = me.memberships.find(({ organization_id: id }) => id === organization)
  const membership = inAddress ?? chosenOrganization(me.memberships)
  const chosen = inAddress?.organization_id
  useEffect(() => {
    if (chosen !== undefined) chooseOrganization(chosen)
  }, [chosen])
  if (!membership) return children
  return (
    <OrganizationProvider key={membership.organization_id} membership={membership}>
      <LiveEvents>
        <Uploads>{children}</Uploads>
      </LiveEvents>
    </OrganizationProvider>
  )
}

function Frame() {
  const { t } = useLingui()
  const { pathname } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t`Skip to content`}
      </a>
      <header className={styles.bar}>
        <IconButton label={t`Open navigation`} icon={icons.menu} onClick={() => setOpenAt(pathname)} />
        <Logo size={22} />
        <span>Reelkeep</span>
      </header>
      <aside className={styles.side} aria-label={t`Navigation`}>
        <Sidebar />
      </aside>
      {openAt === pathname && <Drawer onClose={() => setOpenAt(undefined)} />}
      <main id="content" className={styles.main} tabIndex={-1}>
        <ServiceStatus />
        <Outlet />
      </main>
    </div>
  )
}

/** The navigation on narrow screens. It closes when another page opens. */
function Drawer({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  return (
    <ModalOverlay className={styles.scrim ?? ''} isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className={styles.drawer ?? ''}>
        <Dialog aria-label={t`Navigation`} className={styles.drawerContent ?? ''}>
          <Sidebar onNavigate={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
