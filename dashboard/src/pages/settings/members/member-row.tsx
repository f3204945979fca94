import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Member } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useRoleText } from '../../../app/texts/role-text.ts'
import { relativeTime } from '../../../app/texts/times.ts'
import { icons } from '../../../ui/icons.tsx'
import { Initial } from '../../../ui/initial.tsx'
import { MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { MoreMenu } from '../../../ui/more-menu.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { FolderLimit } from '../parts/folder-limit.tsx'
import { hasAll } from '../parts/role-access.ts'
import { ChangeMemberDialog } from './change-member-dialog.tsx'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { RemoveMemberDialog } from './remove-member-dialog.tsx'

type Action = 'change' | 'recover' | 'remove'

export function MemberRow({ member }: { readonly member: Member }) {
  const { t } = useLingui()
  const { membership } = useOrganization()
  const roleText = useRoleText()
  const [action, setAction] = useState<Action>()
  const isMe = member.id === membership.member_id
  const close = () => setAction(undefined)
  return (
    <>
      <Row
        icon={<Initial name={member.name} />}
        title={
          <>
            {member.name}
            {isMe && <Badge>{t`You`}</Badge>}
            <Badge tone="neutral">{roleText(member.role).name}</Badge>
          </>
        }
        details={<MemberDetails member={member} />}
        action={<MemberMenu member={member} isMe={isMe} onAction={setAction} />}
      />
      {action === 'change' && <ChangeMemberDialog member={member} onClose={close} />}
      {action === 'recover' && <RecoveryDialog member={member} onClose={close} />}
      {action === 'remove' && <RemoveMemberDialog member={member} isMe={isMe} onClose={close} />}
    </>
  )
}

function MemberDetails({ member }: { readonly member: Member }) {
  const { t, i18n } = useLingui()
  const { email, folder_uuid: folder, last_active_at: lastActiveAt } = member
  const active = lastActiveAt === null ? undefined : relativeTime(lastActiveAt, i18n.locale, Date.now())
  return (
    <>
      {email ?? t`No email address`}
      {folder !== null && (
        <>
          {' · '}
          <FolderLimit uuid={folder} />
        </>
      )}
      {' · '}
      {active === undefined ? t`not active yet` : t`active ${active}`}
    </>
  )
}

type MenuProps = { readonly member: Member; readonly isMe: boolean; readonly onAction: (action: Action) => void }

function MemberMenu({ member, isMe, onAction }: MenuProps) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { name, issuer } = member
  if (!organization.can('members:write')) return null
  const isManageable = hasAll(organization, member.scopes)
  if (!isManageable && !isMe) return null
  return (
    <MoreMenu label={t`Actions for ${name}`}>
      {isManageable && (
        <MenuItem icon={icons.pencil} onAction={() => onAction('change')}>{t`Change role or folder`}</MenuItem>
      )}
      {isManageable && !isMe && issuer === 'local' && (
        <MenuItem icon={icons.link} onAction={() => onAction('recover')}>{t`Create a recovery link`}</MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={icons.trash} isDanger onAction={() => onAction('remove')}>
        {isMe ? t`Leave the organization` : t`Remove`}
      </MenuItem>
    </MoreMenu>
  )
}
