import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useVideo } from '../video/video-context.tsx'
import { useStudio } from './studio-context.tsx'
import { studioIcons } from './studio-icons.tsx'
import styles from './studio-page.module.css'

/** What is edited, whether it is saved, and undo. */
export function StudioHeader({ onSave }: { readonly onSave: () => void }) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  const { editor } = useStudio()
  const { past, future } = editor.state.history
  return (
    <header className={styles.header}>
      <div className={styles.heading}>
        <Link className={styles.back} to="/o/$organization/videos/$video" params={{ organization, video: asset.id }}>
          {icons.chevronLeft}
          {asset.title}
        </Link>
        <PageTitle title={t`Chapters of ${asset.title}`}>{t`Chapters`}</PageTitle>
      </div>
      <div className={styles.actions}>
        <p className={styles.state} role="status">
          <SavedState />
        </p>
        <IconButton
          label={t`Undo`}
          icon={studioIcons.undo}
          disabled={past.length === 0}
          onClick={editor.actions.undo}
        />
        <IconButton
          label={t`Redo`}
          icon={studioIcons.redo}
          disabled={future.length === 0}
          onClick={editor.actions.redo}
        />
        <Button look="primary" icon={icons.check} isBusy={editor.isSaving} disabled={!editor.isDirty} onClick={onSave}>
          {t`Save`}
        </Button>
      </div>
      {editor.isRestored && <RestoredNotice />}
    </header>
  )
}

function SavedState() {
  const { t } = useLingui()
  const { editor } = useStudio()
  if (editor.isSaving) return t`Saving…`
  if (editor.isOutdated) return t`Unsaved. Someone else has saved changes; saving combines both.`
  return editor.isDirty ? t`Unsaved changes` : t`All changes saved`
}

function RestoredNotice() {
  const { t } = useLingui()
  const { editor } = useStudio()
  return (
    <div className={styles.restored}>
      <Notice kind="warning">
        <p>{t`Your unsaved changes from an earlier visit are shown.`}</p>
        <div className={styles.buttons}>
          <Button size="small" onClick={editor.hideRestored}>{t`Continue`}</Button>
          <Button size="small" look="quiet" onClick={editor.actions.discard}>{t`Discard the changes`}</Button>
        </div>
      </Notice>
    </div>
  )
}
