import type { ReactNode } from 'react'
import styles from './row-list.module.css'

export const RowList = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <ul className={styles.list} aria-label={label}>
    {children}
  </ul>
)

type RowProps = {
  readonly icon: ReactNode
  readonly title: ReactNode
  readonly details: ReactNode
  readonly action?: ReactNode
}

export const Row = ({ icon, title, details, action }: RowProps) => (
  <li className={styles.row}>
    <span className={styles.icon}>{icon}</span>
    <div className={styles.text}>
      <p className={styles.title}>{title}</p>
      <p className={styles.details}>{details}</p>
    </div>
    {action}
  </li>
)

type BadgeProps = { readonly tone?: 'good' | 'neutral' | 'warning' | 'bad'; readonly children: ReactNode }

/** A short state beside a title. */
export const Badge = ({ tone = 'good', children }: BadgeProps) => (
  <span className={styles.badge} data-tone={tone}>
    {children}
  </span>
)
