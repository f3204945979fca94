import { useLingui } from '@lingui/react/macro'
import styles from './divider.module.css'

/** Between two alternatives. */
export function Divider() {
  const { t } = useLingui()
  return <p className={styles.divider}>{t`or`}</p>
}
