import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { disableTotp, type Me, proposeTotp } from '../../api/account.ts'
import { useConfirmed } from '../../app/confirmed-actions.tsx'
import { meQuery, queryClient } from '../../app/queries.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../ui/lazy-confirm-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'

const TotpDialog = lazy(async () => ({ default: (await import('./totp-dialog.tsx')).TotpDialog }))

/** One-time codes of an authenticator app, which the sign-in with a password then needs. */
export function TotpSection({ person }: { readonly person: Me['person'] }) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const confirmed = useConfirmed()
  const [isRemoving, setRemoving] = useState(false)
  const refresh = () => queryClient.invalidateQueries(meQuery)
  const propose = useMutation({ mutationFn: () => confirmed(proposeTotp) })
  const remove = useMutation({ mutationFn: () => confirmed(disableTotp), onSuccess: refresh })
  const problem = propose.error ?? remove.error
  const finish = () => {
    propose.reset()
    void refresh()
  }
  return (
    <>
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      <RowList label={t`Authenticator app`}>
        <Row
          icon={icons.phone}
          title={t`Authenticator app`}
          details={
            person.has_totp
              ? t`Set up. Signing in with the password also needs a code.`
              : t`Not set up. It asks for a code in addition to the password.`
          }
          action={
            person.has_totp ? (
              <Button size="small" isBusy={remove.isPending} onClick={() => setRemoving(true)}>
                {t`Remove`}
              </Button>
            ) : (
              <Button size="small" isBusy={propose.isPending} onClick={() => propose.mutate()}>
                {t`Set up`}
              </Button>
            )
          }
        />
      </RowList>
      <Suspense>
        {propose.data && <TotpDialog proposal={propose.data} onDone={finish} onClose={() => propose.reset()} />}
        {isRemoving && (
          <LazyConfirmDialog
            title={t`Remove the authenticator app?`}
            confirmLabel={t`Remove`}
            onClose={() => setRemoving(false)}
            onConfirm={() => {
              setRemoving(false)
              remove.mutate()
            }}
          >
            {t`Your password alone is then enough to sign in.`}
          </LazyConfirmDialog>
        )}
      </Suspense>
    </>
  )
}
