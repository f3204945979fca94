import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { providerUrl, type SignInOptions } from '../../api/account.ts'
import { canUsePasskeys, offerPasskeys, signInByPasskey } from '../../app/entrance/passkeys.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Divider } from '../../ui/forms/divider.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PasswordForm } from './password-form.tsx'
import styles from './sign-in.module.css'

type Props = {
  readonly options: SignInOptions
  /** Where a provider sends the browser afterwards. */
  readonly returnTo: string
  /** The account to confirm, if a person is signed in already. */
  readonly email?: string | undefined
  /** Why the sign-in at a provider failed. */
  readonly firstError?: string | undefined
  readonly onSignedIn: () => void
}

/** All ways to sign in, the safest one first. The sign-in page shows it, and the dialog that asks to sign in again. */
export function SignInForm({ options, returnTo, email, firstError, onSignedIn }: Props) {
  const { t } = useLingui()
  const [providerError, setProviderError] = useState(firstError)
  const [problem, setProblem] = useState<unknown>()
  const hasPasskeys = options.methods.includes('passkey') && canUsePasskeys()
  const hasPasswords = options.methods.includes('password')

  const report = (error: unknown) => {
    setProviderError(undefined)
    setProblem(error)
  }
  const passkey = useMutation({ mutationFn: signInByPasskey, onSuccess: onSignedIn, onError: report })

  // biome-ignore lint/correctness/useExhaustiveDependencies: one offer per page; the callbacks do the same in each render
  useEffect(
    () => (hasPasskeys && hasPasswords ? offerPasskeys(onSignedIn, report) : undefined),
    [hasPasskeys, hasPasswords],
  )

  return (
    <div className={styles.ways}>
      <Problem providerError={providerError} error={problem} />
      {hasPasskeys && (
        <Button
          look="primary"
          size="large"
          icon={icons.passkey}
          isBusy={passkey.isPending}
          onClick={() => passkey.mutate()}
        >
          {t`Sign in with a passkey`}
        </Button>
      )}
      {options.providers.map(({ id, name }) => (
        <LinkButton key={id} size="large" icon={icons.company} href={providerUrl(id, { return_to: returnTo })}>
          {t`Continue with ${name}`}
        </LinkButton>
      ))}
      {hasPasswords && (hasPasskeys || options.providers.length > 0) && <Divider />}
      {hasPasswords && (
        <PasswordForm
          email={email}
          isSecondary={hasPasskeys || options.providers.length > 0}
          onSignedIn={onSignedIn}
          onProblem={report}
        />
      )}
    </div>
  )
}

type ProblemProps = { readonly providerError: string | undefined; readonly error: unknown }

function Problem({ providerError, error }: ProblemProps) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const providerTexts: Record<string, string> = {
    not_a_member: t`Your company account is not a member of an organization here. Ask an owner to invite you.`,
    invitation_invalid: t`The invitation has expired or was used already. Ask the person who invited you for a new one.`,
  }
  if (providerError !== undefined) {
    const text = providerTexts[providerError] ?? t`The sign-in with your company account did not work. Try again.`
    return <Notice kind="error">{text}</Notice>
  }
  return error === undefined ? null : <Notice kind="error">{problemText(error)}</Notice>
}
