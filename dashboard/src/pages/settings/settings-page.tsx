import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { permittedSections, type SectionId } from '../../app/routes/settings-sections.ts'
import { icons } from '../../ui/icons.tsx'
import styles from './settings-page.module.css'

export const settingsPage = createLazyRoute('/signed-in/o/$organization/settings')({ component: SettingsPage })

/** Navigation between the sections that the user's role permits, and the open section. */
function SettingsPage() {
  const { t } = useLingui()
  const { id: organization, membership } = useOrganization()
  const sections = permittedSections(membership)
  const texts = useSectionTexts()
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // On narrow screens, the sections are one line that is scrolled.
  // biome-ignore lint/correctness/useExhaustiveDependencies: The current link changes with the path.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <div className={styles.page}>
      <nav ref={nav} className={styles.nav} aria-label={t`Settings`}>
        <ul>
          {sections.map(({ id, path }) => (
            <li key={id}>
              <Link to={path} params={{ organization }}>
                {sectionIcons[id]}
                {texts[id]}
              </Link>
            </li>
          ))}
          <li>
            <Link to="/account">
              {icons.person}
              {t`Your account`}
            </Link>
          </li>
        </ul>
      </nav>
      <div className={styles.content}>
        <Outlet />
      </div>
    </div>
  )
}

const sectionIcons = {
  members: icons.people,
  roles: icons.shield,
  organization: icons.company,
  usage: icons.chart,
  audit: icons.list,
  tokens: icons.code,
  keys: icons.key,
  webhooks: icons.webhook,
  events: icons.activity,
} satisfies Record<SectionId, unknown>

function useSectionTexts(): Record<SectionId, string> {
  const { t } = useLingui()
  return {
    members: t`Members`,
    roles: t`Roles`,
    organization: t`Organization`,
    usage: t`Usage`,
    audit: t`Audit log`,
    tokens: t`API tokens`,
    keys: t`Signing keys`,
    webhooks: t`Webhooks`,
    events: t`Events`,
  }
}
