import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './select-field.module.css'

type Props = {
  readonly label: string
  readonly hint?: ReactNode
  readonly options: readonly { readonly value: string; readonly label: string }[]
} & ComponentProps<'select'>

/** A choice of one value, with its label. */
export function SelectField({ label, hint, options, ...select }: Props) {
  const id = useId()
  const message = `${id}-message`
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <select {...select} id={id} className={styles.select} aria-describedby={hint === undefined ? undefined : message}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p id={message} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  )
}
