import type { ReactNode } from 'react'
import styles from './empty-list.module.css'

type Props = {
  readonly icon: ReactNode
  readonly title: string
  readonly children?: ReactNode
  /** The button with which the first entry is created. */
  readonly action?: ReactNode
}

/** Stands in place of a list without entries, and says what to do. */
export const EmptyList = ({ icon, title, children, action }: Props) => (
  <div className={styles.empty}>
    <span className={styles.icon}>{icon}</span>
    <p className={styles.title}>{title}</p>
    {children && <p className={styles.text}>{children}</p>}
    {action}
  </div>
)
