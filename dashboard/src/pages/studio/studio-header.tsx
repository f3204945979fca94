import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useVideo } from '../video/video-context.tsx'
import { studioIcons } from './studio-icons.tsx'
import styles from './studio-page.module.css'

/** The part of an editor that the header shows. */
type SavedEditor = {
  readonly state: { readonly history: { readonly past: readonly unknown[]; readonly future: readonly unknown[] } }
  readonly isDirty: boolean
  readonly isSaving: boolean
  readonly isOutdated: boolean
  /** Whether unsaved changes of an earlier visit are shown. */
  readonly isRestored?: boolean
  readonly hideRestored?: () => void
  readonly actions: { readonly undo: () => void; readonly redo: () => void; readonly discard: () => void }
}

type Props = {
  readonly editor: SavedEditor
  /** Title of the browser's tab, and the heading. */
  readonly title: string
  readonly heading: string
  /** More actions, before undo. */
  readonly children?: ReactNode
  readonly onSave: () => void
}

/** What is edited, whether it is saved, and undo. */
export function StudioHeader({ editor, title, heading, children, onSave }: Props) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  const { past, future } = editor.state.history
  return (
    <header className={styles.header}>
      <div className={styles.heading}>
        <Link className={styles.back} to="/o/$organization/videos/$video" params={{ organization, video: asset.id }}>
          {icons.chevronLeft}
          {asset.title}
        </Link>
        <PageTitle title={title}>{heading}</PageTitle>
      </div>
      <div className={styles.actions}>
        <p className={styles.state} role="status">
          <SavedState editor={editor} />
        </p>
        {children}
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
      {editor.isRestored && <RestoredNotice editor={editor} />}
    </header>
  )
}

type EditorProps = { readonly editor: SavedEditor }

function SavedState({ editor }: EditorProps) {
  const { t } = useLingui()
  if (editor.isSaving) return t`Saving…`
  if (editor.isOutdated) return t`Unsaved. Someone else has saved changes; saving combines both.`
  return editor.isDirty ? t`Unsaved changes` : t`Saved`
}

function RestoredNotice({ editor }: EditorProps) {
  const { t } = useLingui()
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
