import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { chooseOrganization, chosenOrganization } from '../../app/chosen-organization.ts'
import { PageTitle } from '../../app/page-title.tsx'
import { meQuery } from '../../app/queries.ts'
import { Card } from '../../ui/card.tsx'
import { OrganizationChoice } from './organization-choice.tsx'
import { OrganizationDetails } from './organization-details.tsx'
import styles from './start.module.css'

export const startPage = createLazyRoute('/signed-in/')({ component: StartPage })

function StartPage() {
  const { t } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery)
  const [chosen, setChosen] = useState(() => chosenOrganization(me.memberships)?.organization_id)
  const membership = me.memberships.find(({ organization_id: id }) => id === chosen)
  const name = me.person.name
  const choose = (id: string) => {
    chooseOrganization(id)
    setChosen(id)
  }
  return (
    <div className={styles.page}>
      <PageTitle title={t`Organizations`}>{name === null ? t`Welcome` : t`Welcome, ${name}`}</PageTitle>
      {me.memberships.length > 1 && (
        <OrganizationChoice memberships={me.memberships} chosen={chosen} onChoose={choose} />
      )}
      {membership ? (
        <OrganizationDetails membership={membership} />
      ) : (
        <Card title={t`You are not a member of an organization`}>
          <p className={styles.text}>
            {t`Ask an owner of an organization to invite you. Your account stays as it is until then.`}
          </p>
        </Card>
      )}
    </div>
  )
}
