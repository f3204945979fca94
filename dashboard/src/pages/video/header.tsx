import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { icons } from '../../ui/icons.tsx'
import { Actions } from './actions.tsx'
import { useFolder } from './details/folder-field.tsx'
import { EditableText } from './edit/editable-text.tsx'
import { StatusChip } from './status-chip.tsx'
import { useVideo } from './video-context.tsx'
import { useVideoStatus } from './video-data.ts'
import styles from './video-page.module.css'

const TITLE_LENGTH_MAX = 255

/** Where the video is, its title and status, and what can be done with it. */
export function Header() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { status, progress } = useVideoStatus(asset)
  return (
    <header className={styles.header}>
      <Breadcrumb />
      <div className={styles.heading}>
        <EditableText field="title" label={t`Title`} editLabel={t`Edit title`} lengthMax={TITLE_LENGTH_MAX} isRequired>
          <PageTitle title={asset.title} />
        </EditableText>
        <StatusChip status={status} progress={progress} />
        <Actions />
      </div>
    </header>
  )
}

function Breadcrumb() {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const folder = useFolder()
  const folders = folder ? [...folder.path, folder] : []
  const params = { organization }
  return (
    <nav className={styles.breadcrumb} aria-label={t`Breadcrumb`}>
      <ol>
        <li>
          <Link to="/o/$organization/library" params={params} search={{}}>{t`Library`}</Link>
        </li>
        {folders.map(({ uuid, title }) => (
          <li key={uuid}>
            {icons.chevronRight}
            <Link to="/o/$organization/library" params={params} search={{ folder: uuid }}>
              {title}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
