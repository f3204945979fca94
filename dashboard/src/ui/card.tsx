import { type ReactNode, useId } from 'react'
import styles from './card.module.css'

type Props = {
  readonly title: string
  readonly description?: ReactNode
  /** Shown beside the title, such as a button. */
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** A section of a page. */
export function Card({ title, description, action, children }: Props) {
  const id = useId()
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <div className={styles.titles}>
          <h2 id={id}>{title}</h2>
          {description && <p>{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
