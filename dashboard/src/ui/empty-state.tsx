import type { ReactNode } from 'react'
import styles from './empty-state.module.css'

type Props = {
  readonly icon: ReactNode
  readonly title: string
  readonly text: ReactNode
  /** The next step for the user, usually a button. */
  readonly children?: ReactNode
}

/** In place of a list without entries: what it is for, and what to do next. */
export const EmptyState = ({ icon, title, text, children }: Props) => (
  <div className={styles.empty}>
    <span className={styles.icon}>{icon}</span>
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
)
