import { type ComponentProps, type ReactNode, useId } from 'react'
import { icons } from '../icons.tsx'
import styles from './text-field.module.css'

export type FieldProps = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

type Props = FieldProps & { readonly end?: ReactNode } & ComponentProps<'input'>

/** An input with its label. The line below it shows the error, or the hint; it has its height in every state. */
export function TextField({ label, hint, error, end, ...input }: Props) {
  const id = useId()
  const message = `${id}-message`
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.box} data-invalid={error !== undefined || undefined}>
        <input
          {...input}
          id={id}
          className={styles.input}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error !== undefined || hint !== undefined ? message : undefined}
        />
        {end}
      </div>
      <p id={message} className={error === undefined ? styles.hint : styles.error}>
        {error === undefined ? (
          hint
        ) : (
          <>
            {icons.warning}
            {error}
          </>
        )}
      </p>
    </div>
  )
}
