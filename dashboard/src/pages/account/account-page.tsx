import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { meQuery, signInQuery } from '../../app/queries.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import styles from './account.module.css'
import { MembershipsCard } from './memberships-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

export const accountPage = createLazyRoute('/signed-in/account')({ component: AccountPage })

function AccountPage() {
  const { t } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery)
  const { data: options } = useSuspenseQuery(signInQuery)
  const { person } = me
  const isLocal = person.is_local
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <PageTitle title={t`Account`}>{person.name ?? person.email ?? t`Account`}</PageTitle>
        <p>
          {person.name !== null && person.email}
          {!isLocal && <span>{t`You sign in with your company account.`}</span>}
        </p>
      </div>
      {isLocal && options.methods.includes('passkey') && <PasskeysCard />}
      {isLocal && options.methods.includes('password') && <PasswordCard person={person} />}
      <SessionsCard />
      <MembershipsCard memberships={me.memberships} />
    </div>
  )
}
