import { useLingui } from '@lingui/react/macro'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { NewCredential, SignInMethod } from '../../api/account.ts'
import { canUsePasskeys, createPasskey } from '../../app/entrance/passkeys.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { Divider } from '../../ui/forms/divider.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './credentials.module.css'
import { NewPasswordForm } from './new-password-form.tsx'

type NamedCredential = { readonly name: string; readonly credential: NewCredential }

type Props = {
  readonly methods: readonly SignInMethod[]
  /** The email address, for the password manager. */
  readonly username: string | null
  readonly asksName: boolean
  /** Buttons of other ways, such as company accounts. */
  readonly otherWays?: ReactNode
  readonly readPasskeyOptions: (name: string) => Promise<{ readonly options: PublicKeyCredentialCreationOptionsJSON }>
  readonly submit: (given: NamedCredential) => Promise<void>
  readonly onDone: () => void
}

/** Chooses how a new or recovered account signs in: with a passkey or with a password. */
export function CredentialForm(props: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const nameInput = useRef<HTMLInputElement>(null)
  const [isNameMissing, setNameMissing] = useState(false)
  const hasPasskeys = props.methods.includes('passkey') && canUsePasskeys()
  const hasPasswords = props.methods.includes('password')
  const [wantsPassword, setWantsPassword] = useState(false)
  const isPasswordShown = hasPasswords && (wantsPassword || !hasPasskeys)

  const save = useMutation({ mutationFn: props.submit, onSuccess: props.onDone })
  const passkey = useMutation({
    mutationFn: async (name: string) =>
      props.submit({ name, credential: { passkey: await createPasskey(await props.readPasskeyOptions(name)) } }),
    onSuccess: props.onDone,
  })

  /** Calls `proceed` with the name, or asks for it. */
  const withName = (proceed: (name: string) => void) => {
    const name = nameInput.current?.value.trim() ?? ''
    const isMissing = props.asksName && name === ''
    setNameMissing(isMissing)
    if (isMissing) nameInput.current?.focus()
    else proceed(name)
  }
  const problem = passkey.error ?? save.error
  return (
    <div className={styles.ways}>
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      {props.asksName && (hasPasskeys || hasPasswords) && (
        <TextField
          ref={nameInput}
          label={t`Your name`}
          name="name"
          autoComplete="name"
          maxLength={200}
          required
          error={isNameMissing ? t`Enter your name.` : undefined}
        />
      )}
      {hasPasskeys && (
        <div className={styles.way}>
          <Button
            look="primary"
            size="large"
            icon={icons.passkey}
            isBusy={passkey.isPending}
            onClick={() => withName(passkey.mutate)}
          >
            {t`Create a passkey`}
          </Button>
          <p className={styles.hint}>
            {t`Recommended. You sign in with your fingerprint, face or PIN and have no password to remember.`}
          </p>
        </div>
      )}
      {props.otherWays}
      {hasPasswords && hasPasskeys && <Divider />}
      {hasPasswords && !isPasswordShown && (
        <Button size="large" onClick={() => setWantsPassword(true)}>
          {t`Use a password`}
        </Button>
      )}
      {isPasswordShown && (
        <NewPasswordForm
          username={props.username}
          label={t`Save password and continue`}
          look={hasPasskeys ? 'secondary' : 'primary'}
          hasFocus={wantsPassword}
          isBusy={save.isPending}
          onSubmit={(password) => withName((name) => save.mutate({ name, credential: { password } }))}
        />
      )}
    </div>
  )
}
