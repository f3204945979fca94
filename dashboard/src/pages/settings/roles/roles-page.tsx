import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { RowList } from '../../../ui/row-list.tsx'
import { useRoles } from '../parts/role-access.ts'
import { SectionHead } from '../parts/section-head.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { RoleRow } from './role-row.tsx'

export const rolesPage = createLazyRoute('/signed-in/o/$organization/settings/roles')({ component: RolesPage })

function RolesPage() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const roles = useRoles()
  const [isCreating, setIsCreating] = useState(false)
  const create = can('members:write') && (
    <Button look="primary" icon={icons.plus} onClick={() => setIsCreating(true)}>
      {t`Create a role`}
    </Button>
  )
  return (
    <>
      <SectionHead title={t`Roles`} action={create}>
        {t`A role defines what its members can do. Five roles are built in; create your own if none of them fits.`}
      </SectionHead>
      {roles.isPending && <ListPlaceholder />}
      {roles.error && <ListProblem error={roles.error} onRetry={() => void roles.refetch()} />}
      {roles.data && (
        <RowList label={t`Roles`}>
          {roles.data.map((role) => (
            <RoleRow key={role.id} role={role} />
          ))}
        </RowList>
      )}
      <RolesApi />
      {isCreating && <RoleDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}

function RolesApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const body = { name: 'Subtitler', scopes: ['assets:read', 'assets:write', 'folders:read'] }
  const list: Example = { title: t`List roles`, request: 'GET /roles/', sdk: 'roles.list' }
  const create: Example = {
    title: t`Create a role`,
    request: 'POST /roles/',
    body,
    sdk: 'roles.create',
    args: [body],
  }
  return <ApiExample examples={can('members:write') ? [list, create] : [list]} />
}
