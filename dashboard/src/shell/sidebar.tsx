import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMaybeOrganization } from '../app/organization/organization.tsx'
import { maySearch, maySeeTrash, mayUpload } from '../app/organization/permitted-pages.ts'
import { icons, Logo } from '../ui/icons.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import styles from './sidebar.module.css'
import { UserMenu } from './user-menu.tsx'

/** The page is shown before the tree is loaded, which is 32 KiB of scripts. */
const FolderTree = lazy(async () => ({ default: (await import('../pages/library/tree/folder-tree.tsx')).FolderTree }))

/** Navigation between the pages of an organization, and its folders. */
export function Sidebar({ onNavigate }: { readonly onNavigate?: () => void }) {
  const { t } = useLingui()
  const organization = useMaybeOrganization()
  const params = { organization: organization?.id ?? '' }
  return (
    <div className={styles.sidebar}>
      <header className={styles.head}>
        <Link to="/" className={styles.brand} aria-label={t`Reelkeep, home page`}>
          <Logo size={24} />
        </Link>
        {organization ? <OrganizationMenu /> : <span className={styles.name}>Reelkeep</span>}
      </header>
      {organization && (
        <>
          <nav className={styles.nav} aria-label={t`Main`}>
            <Link to="/o/$organization/library" params={params} search={{}} activeOptions={{ includeSearch: false }}>
              {icons.library} {t`Library`}
            </Link>
            {maySearch(organization) && (
              <Link to="/o/$organization/search" params={params} search={{}} activeOptions={{ includeSearch: false }}>
                {icons.search} {t`Search`}
              </Link>
            )}
            {mayUpload(organization) && (
              <Link to="/o/$organization/uploads" params={params}>
                {icons.upload} {t`Uploads`}
              </Link>
            )}
            {maySeeTrash(organization) && (
              <Link to="/o/$organization/trash" params={params}>
                {icons.trash} {t`Trash`}
              </Link>
            )}
            <Link to="/o/$organization/settings" params={params}>
              {icons.settings} {t`Settings`}
            </Link>
          </nav>
          {organization.can('folders:read') && (
            <Suspense>
              <FolderTree {...(onNavigate && { onNavigate })} />
            </Suspense>
          )}
        </>
      )}
      <UserMenu />
    </div>
  )
}
