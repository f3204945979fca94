import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

type Shared = {
  readonly look?: Look
  readonly size?: 'small' | 'large'
  readonly icon?: ReactNode
}

const classOf = (look: Look, size: 'small' | 'large' | undefined) =>
  [styles.button, styles[look], size && styles[size]].filter(Boolean).join(' ')

/** For links of the router that look like a button. */
export const buttonClass = ({ look = 'secondary', size }: Pick<Shared, 'look' | 'size'>) => classOf(look, size)

export type ButtonProps = Shared & { readonly isBusy?: boolean } & ComponentProps<'button'>

/** While `isBusy`, it keeps its place and the focus, and ignores clicks. */
export function Button({ look = 'secondary', size, icon, isBusy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf(look, size)}
      aria-disabled={isBusy || undefined}
      data-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? <span className={styles.spinner} /> : icon}
      {children}
    </button>
  )
}

/** A link to another page of the server that looks like a button. */
export const LinkButton = ({ look = 'secondary', size, icon, children, ...rest }: Shared & ComponentProps<'a'>) => (
  <a {...rest} className={classOf(look, size)}>
    {icon}
    {children}
  </a>
)

/** A button that shows only an icon; `label` is its name. */
export const IconButton = ({ label, icon, ...rest }: { readonly label: string } & Omit<ButtonProps, 'children'>) => (
  <button
    type="button"
    {...(rest as ComponentProps<'button'>)}
    className={styles.iconOnly}
    aria-label={label}
    title={label}
  >
    {icon}
  </button>
)
