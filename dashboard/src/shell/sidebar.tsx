import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useMaybeOrganization } from '../app/organization/organization.tsx'
import { FolderTree } from '../pages/library/tree/folder-tree.tsx'
import { icons, Logo } from '../ui/icons.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import styles from './sidebar.module.css'
import { UserMenu } from './user-menu.tsx'

/** Navigation between the pages of an organization, and its folders. */
export function Sidebar({ onNavigate }: { readonly onNavigate?: () => void }) {
  const { t } = useLingui()
  const organization = useMaybeOrganization()
  const params = { organization: organization?.id ?? '' }
  return (
    <div className={styles.sidebar}>
      <div className={styles.head}>
        <Link to="/" className={styles.brand} aria-label={t`Reelkeep, start page`}>
          <Logo size={24} />
        </Link>
        {organization ? <OrganizationMenu /> : <span className={styles.name}>Reelkeep</span>}
      </div>
      {organization && (
        <>
          <nav className={styles.nav} aria-label={t`Main`}>
            <Link to="/o/$organization/library" params={params} search={{}} activeOptions={{ includeSearch: false }}>
              {icons.library} {t`Library`}
            </Link>
            {organization.can('uploads:write') && (
              <Link to="/o/$organization/uploads" params={params}>
                {icons.upload} {t`Uploads`}
              </Link>
            )}
            {organization.can('assets:read') && (
              <Link to="/o/$organization/trash" params={params}>
                {icons.trash} {t`Trash`}
              </Link>
            )}
            <Link to="/o/$organization/settings" params={params}>
              {icons.settings} {t`Settings`}
            </Link>
          </nav>
          {organization.can('folders:read') && <FolderTree {...(onNavigate && { onNavigate })} />}
        </>
      )}
      <UserMenu />
    </div>
  )
}
