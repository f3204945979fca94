import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, Link, Outlet } from '@tanstack/react-router'
import { useOrganization } from '../../app/organization/organization.tsx'
import { permittedSections, type SectionId } from '../../app/settings-sections.ts'
import { icons } from '../../ui/icons.tsx'
import styles from './settings-page.module.css'

export const settingsPage = createLazyRoute('/signed-in/o/$organization/settings')({ component: SettingsPage })

/** Navigation between the sections that the user's role permits, and the open section. */
function SettingsPage() {
  const { t } = useLingui()
  const { id: organization, membership } = useOrganization()
  const sections = permittedSections(membership)
  const texts = useSectionTexts()
  return (
    <div className={styles.page}>
      <nav className={styles.nav} aria-label={t`Settings`}>
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
  tokens: icons.code,
} satisfies Record<SectionId, unknown>

function useSectionTexts(): Record<SectionId, string> {
  const { t } = useLingui()
  return {
    members: t`Members`,
    tokens: t`API tokens`,
  }
}
