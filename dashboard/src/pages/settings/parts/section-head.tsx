import type { ReactNode } from 'react'
import { PageTitle } from '../../../app/texts/page-title.tsx'
import styles from './parts.module.css'

type Props = { readonly title: string; readonly action?: ReactNode; readonly children: ReactNode }

/** Title of a section, what it is for, and its main action. */
export const SectionHead = ({ title, action, children }: Props) => (
  <header className={styles.head}>
    <div className={styles.titles}>
      <PageTitle title={title} />
      <p>{children}</p>
    </div>
    {action}
  </header>
)
