import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './check-field.module.css'

type Props = { readonly label: ReactNode; readonly hint?: ReactNode } & Omit<ComponentProps<'input'>, 'type'>

/** A checkbox with its label and an explanation. */
export function CheckField({ label, hint, ...input }: Props) {
  const id = useId()
  return (
    <div className={styles.field}>
      <input
        {...input}
        type="checkbox"
        id={id}
        className={styles.box}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className={styles.hint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
