import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Invitation } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { useRoleText } from '../../../app/texts/role-text.ts'
import { relativeTime } from '../../../app/texts/times.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { FolderLimit } from '../parts/folder-limit.tsx'
import { useChange } from '../parts/use-change.ts'

/** Invitations that have not been accepted yet. */
export function InvitationsCard() {
  const { t } = useLingui()
  const { client } = useOrganization()
  const pages = usePages(['invitations'], (cursor, options) => client.invitations.list(cursor, options))
  return (
    <Card title={t`Open invitations`} description={t`The link is shown only when an invitation is created.`}>
      <PagedList
        label={t`Open invitations`}
        pages={pages}
        row={(invitation) => <InvitationRow key={invitation.id} invitation={invitation} />}
        empty={<EmptyList icon={icons.mail} title={t`There are no open invitations`} />}
      />
    </Card>
  )
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const { t, i18n } = useLingui()
  const { client, can } = useOrganization()
  const roleText = useRoleText()
  const [isAsking, setIsAsking] = useState(false)
  const { id, email, role, folder_uuid: folder, expires_at: expiresAt, created_by: creator } = invitation
  const revoke = useChange({
    run: () => client.invitations.revoke(id),
    refreshes: ['invitations'],
    doneText: t`The invitation of ${email} was revoked.`,
  })
  const expires = relativeTime(expiresAt, i18n.locale, Date.now())
  const inviter = creator.name
  return (
    <>
      <Row
        icon={icons.mail}
        title={
          <>
            {email}
            <Badge tone="neutral">{roleText(role).name}</Badge>
          </>
        }
        details={
          <>
            {inviter === null ? t`Expires ${expires}` : t`Invited by ${inviter}, expires ${expires}`}
            {folder !== null && (
              <>
                {' · '}
                <FolderLimit uuid={folder} />
              </>
            )}
          </>
        }
        action={
          can('members:write') && (
            <Button
              size="small"
              aria-label={t`Revoke the invitation of ${email}`}
              isBusy={revoke.isPending}
              onClick={() => setIsAsking(true)}
            >
              {t`Revoke`}
            </Button>
          )
        }
      />
      {isAsking && (
        <Suspense>
          <LazyConfirmDialog
            title={t`Revoke this invitation?`}
            confirmLabel={t`Revoke`}
            onClose={() => setIsAsking(false)}
            onConfirm={() => {
              setIsAsking(false)
              revoke.mutate()
            }}
          >
            {t`The link that was sent to ${email} no longer works.`}
          </LazyConfirmDialog>
        </Suspense>
      )}
    </>
  )
}
