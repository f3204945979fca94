import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Role } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useRoleText } from '../../../app/texts/role-text.ts'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { MenuItem } from '../../../ui/menu.tsx'
import { MoreMenu } from '../../../ui/more-menu.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { hasAll } from '../parts/role-access.ts'
import { useScopeText } from '../parts/scope-text.ts'
import { useChange } from '../parts/use-change.ts'
import { RoleDialog } from './role-dialog.tsx'
import styles from './roles.module.css'

/** A role with what it permits, in plain words. */
export function RoleRow({ role }: { readonly role: Role }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const roleText = useRoleText()
  const [action, setAction] = useState<'change' | 'delete'>()
  const { id, built_in: isBuiltIn, member_count: memberCount } = role
  const { name, ability } = roleText(role)
  const remove = useChange({
    run: () => organization.client.roles.delete(id),
    refreshes: ['roles'],
    doneText: t`The role “${name}” was deleted.`,
  })
  const isManageable = !isBuiltIn && organization.can('members:write') && hasAll(organization, role.scopes)
  const close = () => setAction(undefined)
  return (
    <>
      <Row
        icon={icons.shield}
        title={
          <>
            {name}
            {!isBuiltIn && <Badge tone="neutral">{t`Custom`}</Badge>}
          </>
        }
        details={
          <>
            {[ability ?? role.description, plural(memberCount, { one: '# member', other: '# members' })]
              .filter(Boolean)
              .join(' · ')}
            <ScopeList scopes={role.scopes} />
          </>
        }
        action={
          isManageable && (
            <MoreMenu label={t`Actions for ${name}`}>
              <MenuItem icon={icons.pencil} onAction={() => setAction('change')}>{t`Edit`}</MenuItem>
              <MenuItem icon={icons.trash} isDanger onAction={() => setAction('delete')}>{t`Delete`}</MenuItem>
            </MoreMenu>
          )
        }
      />
      {action === 'change' && <RoleDialog role={role} onClose={close} />}
      {action === 'delete' && (
        <Suspense>
          <LazyConfirmDialog
            title={t`Delete “${name}”?`}
            confirmLabel={t`Delete`}
            onClose={close}
            onConfirm={() => {
              close()
              remove.mutate()
            }}
          >
            {t`A role can be deleted if no member and no open invitation has it.`}
          </LazyConfirmDialog>
        </Suspense>
      )}
    </>
  )
}

function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  const { t } = useLingui()
  const scopeText = useScopeText()
  return (
    <details className={styles.scopes}>
      <summary>{t`Permissions`}</summary>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>
            {icons.check}
            {scopeText(scope)}
          </li>
        ))}
      </ul>
    </details>
  )
}
