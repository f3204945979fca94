import { useLingui } from '@lingui/react/macro'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from './dialogs.module.css'

type Props = {
  readonly editor: { readonly isDirty: boolean; readonly isSaving: boolean }
  readonly save: () => Promise<boolean>
  readonly title: string
  /** What happens without saving. */
  readonly children: ReactNode
}

/** Asks before the page is left with unsaved changes. */
export function LeaveDialog({ editor: { isDirty, isSaving }, save, title, children }: Props) {
  const { t } = useLingui()
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
    <Dialog title={title} role="alertdialog" isWide onClose={blocker.reset}>
      <p className={styles.text}>{children}</p>
      <div className={`${styles.buttons} ${styles.stacked}`}>
        <Button look="quiet" onClick={blocker.reset}>
          {t`Cancel`}
        </Button>
        <Button onClick={blocker.proceed}>{t`Leave without saving`}</Button>
        <Button look="primary" autoFocus isBusy={isSaving} onClick={() => void saveAndLeave()}>
          {t`Save and leave`}
        </Button>
      </div>
    </Dialog>
  )
}
