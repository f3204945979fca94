import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Token } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { dateText, relativeTime } from '../../../app/texts/times.ts'
import { icons } from '../../../ui/icons.tsx'
import { MenuItem } from '../../../ui/menu.tsx'
import { MoreMenu } from '../../../ui/more-menu.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { FolderLimit } from '../parts/folder-limit.tsx'
import { hasAll } from '../parts/role-access.ts'
import { useScopeText } from '../parts/scope-text.ts'
import { RevokeTokenDialog } from './revoke-token-dialog.tsx'
import { RotateTokenDialog } from './rotate-token-dialog.tsx'

const SCOPES_SHOWN_MAX = 2

type State = 'active' | 'expired' | 'revoked'

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): State {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active'
}

export function TokenRow({ token }: { readonly token: Token }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const [action, setAction] = useState<'rotate' | 'revoke'>()
  const { name } = token
  const state = stateOf(token)
  const isManageable = state === 'active' && organization.can('tokens:write') && hasAll(organization, token.scopes)
  const close = () => setAction(undefined)
  return (
    <>
      <Row
        icon={icons.code}
        title={
          <>
            {name}
            {state === 'revoked' && <Badge tone="bad">{t`Revoked`}</Badge>}
            {state === 'expired' && <Badge tone="warning">{t`Expired`}</Badge>}
          </>
        }
        details={<TokenDetails token={token} />}
        action={
          isManageable && (
            <MoreMenu label={t`Actions for ${name}`}>
              <MenuItem icon={icons.refresh} onAction={() => setAction('rotate')}>{t`Replace`}</MenuItem>
              <MenuItem icon={icons.trash} isDanger onAction={() => setAction('revoke')}>{t`Revoke`}</MenuItem>
            </MoreMenu>
          )
        }
      />
      {action === 'rotate' && <RotateTokenDialog token={token} onClose={close} />}
      {action === 'revoke' && <RevokeTokenDialog token={token} onClose={close} />}
    </>
  )
}

function TokenDetails({ token }: { readonly token: Token }) {
  const { t, i18n } = useLingui()
  const { folder_uuid: folder, expires_at: expiresAt, last_used_at: lastUsedAt, created_by: creator } = token
  const used = lastUsedAt === null ? undefined : relativeTime(lastUsedAt, i18n.locale, Date.now())
  const expires = expiresAt === null ? undefined : dateText(expiresAt, i18n.locale)
  const creatorName = creator.name
  return (
    <>
      <ScopeSummary scopes={token.scopes} />
      {folder !== null && (
        <>
          {' · '}
          <FolderLimit uuid={folder} />
        </>
      )}
      <br />
      {[
        creatorName === null ? undefined : t`created by ${creatorName}`,
        used === undefined ? t`not used yet` : t`last used ${used}`,
        expires === undefined ? t`does not expire` : t`expires ${expires}`,
      ]
        .filter((text) => text !== undefined)
        .join(' · ')}
    </>
  )
}

function ScopeSummary({ scopes }: { readonly scopes: readonly string[] }) {
  const { t } = useLingui()
  const scopeText = useScopeText()
  const shown = scopes.slice(0, SCOPES_SHOWN_MAX).map(scopeText).join(', ')
  const others = scopes.length - SCOPES_SHOWN_MAX
  const all = scopes.map(scopeText).join('\n')
  if (others <= 0) return shown
  return <span title={all}>{t`${shown} and ${plural(others, { one: '# other', other: '# others' })}`}</span>
}
