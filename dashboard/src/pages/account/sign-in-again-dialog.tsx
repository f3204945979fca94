import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { meQuery, queryClient, sessionsQuery, signInQuery } from '../../app/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import styles from './account.module.css'

type Props = { readonly onSignedIn: () => void; readonly onClose: () => void }

/** Asks for a new sign-in before a sensitive change. */
export function SignInAgainDialog({ onSignedIn, onClose }: Props) {
  const { t } = useLingui()
  const { data: me } = useQuery(meQuery)
  const { data: options } = useQuery(signInQuery)
  const proceed = () => {
    void queryClient.invalidateQueries(meQuery)
    void queryClient.invalidateQueries(sessionsQuery)
    onSignedIn()
  }
  return (
    <Dialog title={t`Confirm your identity`} onClose={onClose}>
      <p className={styles.text}>{t`You signed in a while ago. Sign in again to make this change.`}</p>
      {options && me && (
        <SignInForm
          options={me.person.is_local ? { ...options, providers: [] } : { ...options, methods: ['oidc'] }}
          returnTo="/account"
          email={me.person.email ?? undefined}
          onSignedIn={proceed}
        />
      )}
    </Dialog>
  )
}
