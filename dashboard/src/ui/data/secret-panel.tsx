import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { icons } from '../icons.tsx'
import { CopyButton } from './copy-button.tsx'
import styles from './secret-panel.module.css'

type Props = {
  readonly label: string
  readonly secret: string
  /** Several lines, such as a key in PEM format. */
  readonly isLong?: boolean
}

/** A secret that is shown once, with a button that copies it. */
export function SecretPanel({ label, secret, isLong = false }: Props) {
  const { t } = useLingui()
  const id = useId()
  const select = (element: HTMLInputElement | HTMLTextAreaElement) => element.select()
  const shared = { id, value: secret, readOnly: true, spellCheck: false, className: styles.text }
  return (
    <div className={styles.panel}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.box} data-long={isLong || undefined}>
        {isLong ? (
          <textarea {...shared} rows={5} onFocus={({ target }) => select(target)} />
        ) : (
          <input {...shared} onFocus={({ target }) => select(target)} />
        )}
        <CopyButton text={secret} look="primary" label={t`Copy: ${label}`} />
      </div>
      <p className={styles.warning}>
        {icons.warning}
        {t`Copy it now. It is not shown again.`}
      </p>
    </div>
  )
}
