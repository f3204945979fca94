import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useRef, useState } from 'react'
import { signInWithPassword } from '../../api/account.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/forms/password-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import styles from './sign-in.module.css'

type Props = {
  readonly email: string | undefined
  /** Another way to sign in has the primary button. */
  readonly isSecondary: boolean
  readonly onSignedIn: () => void
  readonly onProblem: (error: unknown) => void
}

/**
 * The API does not show whether an account needs a code, so as not to reveal which password is right. After a failure
 * the form asks for one as well.
 */
export function PasswordForm({ email, isSecondary, onSignedIn, onProblem }: Props) {
  const { t } = useLingui()
  const emailInput = useRef<HTMLInputElement>(null)
  const passwordInput = useRef<HTMLInputElement>(null)
  const codeInput = useRef<HTMLInputElement>(null)
  const [asksCode, setAsksCode] = useState(false)
  const [missing, setMissing] = useState<{ readonly email?: boolean; readonly password?: boolean }>({})
  const signIn = useMutation({
    mutationFn: signInWithPassword,
    onSuccess: onSignedIn,
    onError: (error) => {
      onProblem(error)
      setAsksCode(true)
      passwordInput.current?.select()
    },
  })

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (signIn.isPending) return
    const code = codeInput.current?.value.replaceAll(/\s/g, '') ?? ''
    const credentials = { email: emailInput.current?.value.trim() ?? '', password: passwordInput.current?.value ?? '' }
    setMissing({ email: credentials.email === '', password: credentials.password === '' })
    if (credentials.email === '') return emailInput.current?.focus()
    if (credentials.password === '') return passwordInput.current?.focus()
    signIn.mutate(code === '' ? credentials : { ...credentials, code })
  }

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        ref={emailInput}
        label={t`Email`}
        type="email"
        name="email"
        autoComplete="username webauthn"
        defaultValue={email}
        readOnly={email !== undefined}
        required
        error={missing.email ? t`Enter your email address.` : undefined}
      />
      <PasswordField
        ref={passwordInput}
        label={t`Password`}
        name="password"
        autoComplete="current-password"
        required
        error={missing.password ? t`Enter your password.` : undefined}
      />
      {asksCode ? (
        <TextField
          ref={codeInput}
          label={t`Code from your authenticator app`}
          hint={t`Only if you have set one up.`}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
        />
      ) : (
        <p className={styles.more}>
          <button type="button" onClick={() => setAsksCode(true)}>
            {t`I use an authenticator app`}
          </button>
        </p>
      )}
      <Button type="submit" size="large" look={isSecondary ? 'secondary' : 'primary'} isBusy={signIn.isPending}>
        {t`Sign in with password`}
      </Button>
    </form>
  )
}
