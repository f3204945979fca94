import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute, useRouter } from '@tanstack/react-router'
import { EntranceLayout, Intro } from '../../app/entrance/entrance-layout.tsx'
import { queryClient, signInQuery } from '../../app/queries.ts'
import { safeReturnTo } from '../../app/routes/return-to.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { SignInForm } from './sign-in-form.tsx'

export const signInPage = createLazyRoute('/sign-in')({ component: SignInPage })

function SignInPage() {
  const { t } = useLingui()
  const { data: options } = useSuspenseQuery(signInQuery)
  const { return_to, error } = signInPage.useSearch()
  const router = useRouter()
  const returnTo = safeReturnTo(return_to)
  const proceed = () => {
    queryClient.clear()
    router.history.replace(returnTo)
  }
  return (
    <EntranceLayout>
      <Intro>
        <PageTitle title={t`Sign in`}>{t`Sign in to Reelkeep`}</PageTitle>
        <p>{returnTo === '/' ? t`Your videos, in one place.` : t`Then we take you back to where you were.`}</p>
      </Intro>
      <SignInForm options={options} returnTo={returnTo} firstError={error} onSignedIn={proceed} />
    </EntranceLayout>
  )
}
