import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useRouter } from '@tanstack/react-router'
import type { Invitation } from '../../api/account.ts'
import { EntranceLayout, Intro } from '../../app/entrance/entrance-layout.tsx'
import { LinkProblem } from '../../app/entrance/link-problem.tsx'
import { invitationQuery, meQuery, queryClient } from '../../app/queries.ts'
import { forgetLinkToken, linkToken } from '../../app/routes/link-token.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { useRoleText } from '../../app/texts/role-text.ts'
import { dateText } from '../../app/texts/times.ts'
import { AcceptAsMe } from './accept-as-me.tsx'
import { AcceptAsNew } from './accept-as-new.tsx'
import styles from './invitation.module.css'

export const invitationPage = createLazyRoute('/invitation')({ component: InvitationPage })

function InvitationPage() {
  const { t } = useLingui()
  const token = linkToken('invitation')
  const { data: invitation, error } = useQuery({ ...invitationQuery(token ?? ''), enabled: token !== undefined })
  return (
    <EntranceLayout>
      {token !== undefined && invitation ? (
        <OpenInvitation token={token} invitation={invitation} />
      ) : (
        <LinkProblem
          hasToken={token !== undefined}
          error={error}
          title={t`This invitation does not work`}
          advice={t`It has expired, was revoked, or was used already. Ask the person who invited you for a new one. If you have joined already, sign in.`}
        />
      )}
    </EntranceLayout>
  )
}

function OpenInvitation({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const { t, i18n } = useLingui()
  const { name: role, ability } = useRoleText()(invitation.role)
  const { data: me } = useQuery(meQuery)
  const router = useRouter()
  const { organization_name: organization, invited_by: inviter } = invitation
  const enter = () => {
    forgetLinkToken('invitation')
    queryClient.clear()
    void router.navigate({ to: '/' })
  }
  const expiry = dateText(invitation.expires_at, i18n.locale)
  return (
    <>
      <Intro>
        <PageTitle title={t`Invitation`}>{t`Join ${organization}`}</PageTitle>
        <p>
          {inviter === null
            ? t`You are invited to work on the videos of ${organization}.`
            : t`${inviter} invites you to work on the videos of ${organization}.`}
        </p>
      </Intro>
      <dl className={styles.facts}>
        <div>
          <dt>{t`Your role`}</dt>
          <dd>
            <strong>{role}</strong>
            {ability && <span>{ability}</span>}
          </dd>
        </div>
        {invitation.email !== null && (
          <div>
            <dt>{t`Invited address`}</dt>
            <dd>{invitation.email}</dd>
          </div>
        )}
        <div>
          <dt>{t`Valid until`}</dt>
          <dd>{expiry}</dd>
        </div>
      </dl>
      {me ? (
        <AcceptAsMe me={me} token={token} onDone={enter} />
      ) : (
        <AcceptAsNew token={token} invitation={invitation} onDone={enter} />
      )}
    </>
  )
}
