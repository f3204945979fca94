import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { SecretPanel } from '../../../ui/data/secret-panel.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from './parts.module.css'

type Props = {
  readonly title: string
  readonly label: string
  readonly secret: string
  readonly isLong?: boolean
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** Shows a secret that the API returns only once. */
export function SecretDialog({ title, label, secret, isLong, onClose, children }: Props) {
  const { t } = useLingui()
  return (
    <Dialog title={title} onClose={onClose}>
      {children && <p className={styles.text}>{children}</p>}
      <SecretPanel label={label} secret={secret} {...(isLong && { isLong })} />
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t`Done`}</Button>
      </div>
    </Dialog>
  )
}
