import { roles as contract, type Scope } from '@reelkeep/contract'
import type { OrganizationId, RoleId } from '../../kernel/ids.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import { type CountedRole, changeRole, createRole, deleteRole, listRoles, requireRole, versionOf } from './roles.ts'

/** Registers the routes. `onChanged` runs after the scopes of members may have changed. */
export function registerRoleRoutes(api: Api, onChanged: (organizationId: OrganizationId) => void): void {
  route(api, contract.createRole, async ({ db, principal, body }) =>
    toWire(await createRole(db, principal, { ...body, description: body.description ?? '' })),
  )

  route(api, contract.listRoles, async ({ db }) => {
    const results = (await listRoles(db)).map(toWire)
    return { count: results.length, next: null, previous: null, results }
  })

  route(api, contract.readRole, async ({ db, params, setVersion }) => {
    const role = await requireRole(db, params.role_id as RoleId)
    setVersion(versionOf(role))
    return toWire(role)
  })

  route(api, contract.updateRole, async ({ db, principal, params, headers, body, setVersion, afterCommit }) => {
    const change = { ...body, id: params.role_id as RoleId, assertVersion: preconditionOf(headers) }
    const role = await changeRole(db, principal, change)
    setVersion(versionOf(role))
    afterCommit(() => onChanged(db.organizationId))
    return toWire(role)
  })

  route(api, contract.deleteRole, async ({ db, principal, params }) =>
    deleteRole(db, principal, params.role_id as RoleId),
  )
}

const toWire = (role: CountedRole): contract.Role => ({
  id: role.id,
  name: role.name,
  description: role.description,
  scopes: role.scopes as Scope[],
  built_in: !('createdAt' in role),
  member_count: role.memberCount,
  created_at: 'createdAt' in role ? role.createdAt : null,
  created_by: 'createdAt' in role ? toCreator(role) : null,
})
