import { useLingui } from '@lingui/react/macro'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/forms/password-field.tsx'
import styles from './credentials.module.css'

/** The API refuses a shorter one. */
const PASSWORD_CHARACTERS_MIN = 12
const PASSWORD_CHARACTERS_MAX = 256

type Props = {
  readonly username: string | null
  readonly label: string
  readonly look: 'primary' | 'secondary'
  readonly hasFocus: boolean
  readonly isBusy: boolean
  readonly onSubmit: (password: string) => void
}

export function NewPasswordForm({ username, label, look, hasFocus, isBusy, onSubmit }: Props) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const [isTooShort, setTooShort] = useState(false)
  useEffect(() => {
    if (hasFocus) input.current?.focus()
  }, [hasFocus])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const password = input.current?.value ?? ''
    const isShort = password.length < PASSWORD_CHARACTERS_MIN
    setTooShort(isShort)
    if (isShort) input.current?.focus()
    else if (!isBusy) onSubmit(password)
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {/* Password managers save the password for this account. */}
      <input type="hidden" name="username" autoComplete="username" value={username ?? ''} />
      <PasswordField
        ref={input}
        label={t`New password`}
        name="password"
        autoComplete="new-password"
        maxLength={PASSWORD_CHARACTERS_MAX}
        required
        hint={t`At least 12 characters. Several words are easy to remember.`}
        error={isTooShort ? t`The password must have at least 12 characters.` : undefined}
      />
      <Button type="submit" look={look} size="large" isBusy={isBusy}>
        {label}
      </Button>
    </form>
  )
}
