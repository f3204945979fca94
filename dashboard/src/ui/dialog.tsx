import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'
import { icons } from './icons.tsx'

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** `alertdialog` for a question about something that cannot be undone. */
  readonly role?: 'dialog' | 'alertdialog'
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A modal dialog, open while it is rendered. It keeps the focus inside and gives it back when it closes. */
export function Dialog({ title, onClose, role = 'dialog', isWide = false, children }: Props) {
  const { t } = useLingui()
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className={`${styles.modal} ${isWide ? styles.wide : ''}`}>
        <AriaDialog role={role} className={styles.dialog ?? ''}>
          <div className={styles.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton label={t`Close`} icon={icons.close} onClick={onClose} />
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
