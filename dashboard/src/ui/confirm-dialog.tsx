import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './confirm-dialog.module.css'
import { Dialog } from './dialog.tsx'

type Props = {
  readonly title: string
  readonly confirmLabel: string
  /** Label of the safe answer, if "Cancel" could be misunderstood. */
  readonly closeLabel?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, confirmLabel, closeLabel, onConfirm, onClose, children }: Props) {
  const { t } = useLingui()
  return (
    <Dialog title={title} role="alertdialog" onClose={onClose}>
      <p className={styles.text}>{children}</p>
      <div className={styles.buttons}>
        {/* The safe answer has the focus first. */}
        <Button autoFocus onClick={onClose}>
          {closeLabel ?? t`Cancel`}
        </Button>
        <Button look="danger" onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}
