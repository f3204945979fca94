import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { changePassword, type Me } from '../../api/account.ts'
import { useConfirmed } from '../../app/confirmed-actions.tsx'
import { meQuery, queryClient, sessionsQuery } from '../../app/queries.ts'
import { withTexts } from '../../app/texts/languages.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './account.module.css'
import { TotpSection } from './totp-section.tsx'

const NewPasswordForm = lazy(async () => ({
  default: (await withTexts('entrance', import('../credentials/new-password-form.tsx'))).NewPasswordForm,
}))

export function PasswordCard({ person }: { readonly person: Me['person'] }) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const confirmed = useConfirmed()
  const [isOpen, setOpen] = useState(false)
  const change = useMutation({
    mutationFn: (password: string) => confirmed(() => changePassword(password)),
    onSuccess: async () => {
      setOpen(false)
      await Promise.all([queryClient.invalidateQueries(meQuery), queryClient.invalidateQueries(sessionsQuery)])
    },
  })
  const open = (
    <Button onClick={() => setOpen(true)}>{person.has_password ? t`Change password` : t`Set a password`}</Button>
  )
  return (
    <Card
      title={t`Password`}
      description={
        person.has_password
          ? t`You can sign in with your email address and a password.`
          : t`You have no password. A passkey is safer; a password helps on devices without one.`
      }
      action={!isOpen && open}
    >
      {change.error && <Notice kind="error">{problemText(change.error)}</Notice>}
      {change.isSuccess && !isOpen && (
        <Notice kind="success">{t`The new password is saved. Your other devices were signed out.`}</Notice>
      )}
      {person.has_password && !isOpen && <TotpSection person={person} />}
      {isOpen && (
        <div className={styles.form}>
          <Suspense>
            <NewPasswordForm
              username={person.email}
              label={t`Save password`}
              look="primary"
              hasFocus
              isBusy={change.isPending}
              onSubmit={(password) => change.mutate(password)}
            />
          </Suspense>
          <Button look="quiet" size="large" onClick={() => setOpen(false)}>
            {t`Cancel`}
          </Button>
        </div>
      )}
    </Card>
  )
}
