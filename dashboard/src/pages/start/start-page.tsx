import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { meQuery } from '../../app/queries.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { Card } from '../../ui/card.tsx'
import styles from './start.module.css'

export const startPage = createLazyRoute('/signed-in/')({ component: StartPage })

/** For people without an organization; others are sent to their library. */
function StartPage() {
  const { t } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery)
  const name = me.person.name
  return (
    <div className={styles.page}>
      <PageTitle title={t`Home`}>{name === null ? t`Welcome` : t`Welcome, ${name}`}</PageTitle>
      <Card title={t`You are not a member of an organization`}>
        <p className={styles.text}>
          {t`Ask an owner of an organization to invite you. Your account stays as it is until then.`}
        </p>
      </Card>
    </div>
  )
}
