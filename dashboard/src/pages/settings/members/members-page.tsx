import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MembersCard } from './members-card.tsx'

export const membersPage = createLazyRoute('/signed-in/o/$organization/settings/members')({ component: MembersPage })

function MembersPage() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const [isInviting, setIsInviting] = useState(false)
  const invite = can('members:write') && (
    <Button look="primary" icon={icons.plus} onClick={() => setIsInviting(true)}>
      {t`Invite a member`}
    </Button>
  )
  return (
    <>
      <SectionHead title={t`Members`} action={invite}>
        {t`People who sign in and work with the videos of this organization.`}
      </SectionHead>
      <MembersCard />
      <InvitationsCard />
      <MembersApi />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </>
  )
}

function MembersApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const list: Example = { title: t`List members`, request: 'GET /members/', sdk: 'members.list' }
  const invitation = { email: 'kim@example.org', role: 'editor' }
  const changes: readonly Example[] = [
    {
      title: t`Invite a member`,
      request: 'POST /invitations/',
      body: invitation,
      sdk: 'invitations.create',
      args: [invitation],
    },
    {
      title: t`Change a role`,
      request: 'PATCH /members/MEMBER_ID/',
      body: { role: 'viewer' },
      sdk: 'members.update',
      args: ['MEMBER_ID', { role: 'viewer' }],
    },
    {
      title: t`Remove a member`,
      request: 'DELETE /members/MEMBER_ID/?descendants=true',
      sdk: 'members.remove',
      args: ['MEMBER_ID', { descendants: true }],
    },
  ]
  return <ApiExample examples={can('members:write') ? [list, ...changes] : [list]} />
}
