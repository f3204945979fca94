import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../app/organization/organization.tsx'
import { relativeTime } from '../../app/texts/times.ts'
import { Button } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { Row } from '../../ui/row-list.tsx'
import { daysLeft } from './days-left.ts'
import type { TrashEntry } from './trash-entries.ts'
import styles from './trash-page.module.css'

type Props = { readonly entry: TrashEntry; readonly onRestore: () => void; readonly onDelete: () => void }

export function TrashRow({ entry, onRestore, onDelete }: Props) {
  const { t, i18n } = useLingui()
  const { can } = useOrganization()
  const { kind, title, deletedAt, purgeAt, videoCount, folderCount } = entry
  const mayChange = can(kind === 'folder' ? 'folders:write' : 'assets:write')
  const days = daysLeft(purgeAt, Date.now())
  const deleted = relativeTime(deletedAt, i18n.locale, Date.now())
  const contents = t`${plural(videoCount, { one: '# video', other: '# videos' })}, ${plural(folderCount, { one: '# folder', other: '# folders' })}`
  return (
    <Row
      icon={kind === 'folder' ? icons.folder : icons.library}
      title={title}
      details={
        <span className={styles.details}>
          <span>{t`Deleted ${deleted}`}</span>
          <span>{t`${plural(days, { one: '# day left', other: '# days left' })}`}</span>
          {kind === 'folder' && <span>{contents}</span>}
        </span>
      }
      action={
        mayChange && (
          <span className={styles.actions}>
            <Button size="small" icon={icons.restore} aria-label={t`Restore ${title}`} onClick={onRestore}>
              <span className={styles.wide}>{t`Restore`}</span>
            </Button>
            <Button
              size="small"
              look="danger"
              icon={icons.trash}
              aria-label={t`Delete forever: ${title}`}
              onClick={onDelete}
            >
              <span className={styles.wide}>{t`Delete forever`}</span>
            </Button>
          </span>
        )
      }
    />
  )
}
