import type { ReactNode } from 'react'
import { icons } from './icons.tsx'
import styles from './notice.module.css'

type Props = { readonly kind: 'error' | 'success' | 'warning'; readonly children: ReactNode }

/** Screen readers announce it when it appears. */
export const Notice = ({ kind, children }: Props) => (
  <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
    {kind === 'success' ? icons.done : icons.warning}
    <div>{children}</div>
  </div>
)
