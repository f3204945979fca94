import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useRouter } from '@tanstack/react-router'
import { readRecoveryPasskeyOptions, recover } from '../../api/account.ts'
import { EntranceLayout, Intro } from '../../app/entrance/entrance-layout.tsx'
import { LinkProblem } from '../../app/entrance/link-problem.tsx'
import { queryClient, recoveryQuery } from '../../app/queries.ts'
import { forgetLinkToken, linkToken } from '../../app/routes/link-token.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { CredentialForm } from '../credentials/credential-form.tsx'

export const recoveryPage = createLazyRoute('/recovery')({ component: RecoveryPage })

function RecoveryPage() {
  const { t } = useLingui()
  const token = linkToken('recovery')
  const { data: recovery, error } = useQuery({ ...recoveryQuery(token ?? ''), enabled: token !== undefined })
  const router = useRouter()
  const enter = () => {
    forgetLinkToken('recovery')
    queryClient.clear()
    void router.navigate({ to: '/account' })
  }
  if (token === undefined || !recovery) {
    return (
      <EntranceLayout>
        <LinkProblem
          hasToken={token !== undefined}
          error={error}
          title={t`This recovery link does not work`}
          advice={t`It has expired or was used already. Ask an owner of your organization for a new one.`}
        />
      </EntranceLayout>
    )
  }
  const account = recovery.email ?? recovery.name ?? ''
  return (
    <EntranceLayout>
      <Intro>
        <PageTitle title={t`Get back into your account`} />
        <p>{t`Choose a new way to sign in as ${account}. Your other sessions are signed out.`}</p>
      </Intro>
      <CredentialForm
        methods={recovery.methods}
        username={recovery.email}
        asksName={false}
        readPasskeyOptions={() => readRecoveryPasskeyOptions(token)}
        submit={({ credential }) => recover(token, credential)}
        onDone={enter}
      />
    </EntranceLayout>
  )
}
