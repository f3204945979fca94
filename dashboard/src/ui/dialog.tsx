import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'
import { icons } from './icons.tsx'

/** After the frame in which the library would return the focus. */
const RETURN_MILLISECONDS = 50

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** `alertdialog` for a question about something that cannot be undone. */
  readonly role?: 'dialog' | 'alertdialog'
  readonly isWide?: boolean
  /** As large as the window permits, for what is seen and heard. */
  readonly isFull?: boolean
  readonly children: ReactNode
}

/** A modal dialog, open while it is rendered. It keeps the focus inside and gives it back when it closes. */
export function Dialog({ title, onClose, role = 'dialog', isWide = false, isFull = false, children }: Props) {
  const { t } = useLingui()
  useReturnedFocus()
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className={`${styles.modal} ${isFull ? styles.full : isWide ? styles.wide : ''}`}>
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

/** The elements that had the focus before the open dialogs, the latest first. */
let openersBefore: readonly HTMLElement[] = []

/**
 * Without it, the focus is lost if a dialog closes after a request, when its button is no longer in use, and if another
 * dialog takes its place.
 */
function useReturnedFocus(): void {
  const [openers] = useState(() => {
    const isReplacing = document.querySelector('[role=dialog], [role=alertdialog]') !== null
    const { activeElement, body } = document
    const opener = activeElement instanceof HTMLElement && activeElement !== body ? [activeElement] : []
    return [...opener, ...(isReplacing ? openersBefore : [])]
  })
  useEffect(() => {
    openersBefore = openers
    return () => {
      setTimeout(() => {
        if (document.activeElement === document.body) openers.find(({ isConnected }) => isConnected)?.focus()
      }, RETURN_MILLISECONDS)
    }
  }, [openers])
}
