import { useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { icons } from '../../../ui/icons.tsx'
import { levelQuery } from '../tree/folder-levels.ts'
import styles from './library-page.module.css'

/** More are in the tree. */
const SHOWN_MAX = 12

/** The folders in the folder, as links. */
export function Subfolders({ folder }: { readonly folder: string }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const { data } = useQuery(levelQuery(organization, folder, queryClient))
  if (!data || data.folders.length === 0) return null
  return (
    <nav className={styles.subfolders} aria-label={t`Folders in this folder`}>
      {data.folders.slice(0, SHOWN_MAX).map(({ uuid, title }) => (
        <Link
          key={uuid}
          to="/o/$organization/library"
          params={{ organization: organization.id }}
          search={{ folder: uuid }}
        >
          {icons.folder}
          <span className={styles.folderTitle}>{title}</span>
        </Link>
      ))}
    </nav>
  )
}
