import { useLingui } from '@lingui/react/macro'
import { useBlocker } from '@tanstack/react-router'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useStudio } from '../studio-context.tsx'
import styles from './dialogs.module.css'

/** Asks before the page is left with unsaved changes. */
export function LeaveDialog({ save }: { readonly save: () => Promise<boolean> }) {
  const { t } = useLingui()
  const { editor } = useStudio()
  const { isDirty } = editor
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const saveAndLeave = async () => {
    if (await save()) blocker.proceed()
    else blocker.reset()
  }
  return (
    <Dialog title={t`Save the chapters?`} role="alertdialog" onClose={blocker.reset}>
      <p className={styles.text}>
        {t`The chapters have unsaved changes. Without saving, they stay in this browser until you open this page again.`}
      </p>
      <div className={styles.buttons}>
        <Button look="quiet" onClick={blocker.reset}>
          {t`Cancel`}
        </Button>
        <Button onClick={blocker.proceed}>{t`Leave without saving`}</Button>
        <Button look="primary" autoFocus isBusy={editor.isSaving} onClick={() => void saveAndLeave()}>
          {t`Save and leave`}
        </Button>
      </div>
    </Dialog>
  )
}
