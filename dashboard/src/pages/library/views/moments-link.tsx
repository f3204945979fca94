import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from './library-page.module.css'

type Props = { readonly q: string; readonly folder: string | undefined }

/** Leads from videos with a title to the moments at which the words are said. */
export function MomentsLink({ q, folder }: Props) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  return (
    <nav className={styles.subfolders} aria-label={t`Search`}>
      <Link to="/o/$organization/search" params={{ organization }} search={{ q, ...(folder && { folder }) }}>
        {icons.search}
        <span className={styles.folderTitle}>{t`Search “${q}” in chapters and captions`}</span>
      </Link>
    </nav>
  )
}
