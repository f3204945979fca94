import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { acceptInvitation, type Me, signOut } from '../../api/account.ts'
import { meQuery, queryClient } from '../../app/queries.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './invitation.module.css'

type Props = { readonly me: Me; readonly token: string; readonly onDone: () => void }

/** For a person who is signed in already. */
export function AcceptAsMe({ me, token, onDone }: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const accept = useMutation({ mutationFn: () => acceptInvitation(token), onSuccess: onDone })
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => queryClient.resetQueries(meQuery) })
  const name = me.person.name ?? me.person.email ?? me.person.issuer
  const problem = accept.error ?? leave.error
  return (
    <div className={styles.ways}>
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      <Button look="primary" size="large" isBusy={accept.isPending} onClick={() => accept.mutate()}>
        {t`Join as ${name}`}
      </Button>
      <Button look="quiet" size="large" isBusy={leave.isPending} onClick={() => leave.mutate()}>
        {t`Use another account`}
      </Button>
    </div>
  )
}
