import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { PrincipalId, RoleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { CustomRole } from './roles.rules.ts'

const columns = sql`id, name, description, scopes, false as "isOwnOnly", created_at as "createdAt",
  ${creatorColumns('roles')}`

const all = statement(
  ({ organizationId }: Given<object>) => sql<CustomRole>`
    select ${columns} from roles where organization_id = ${organizationId} order by id`,
)

type MemberCount = { readonly role: string; readonly count: number }

const memberCounts = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<MemberCount>`
      select role, count(*)::int as count from members
      where organization_id = ${organizationId} and removed_at is null group by role`,
  ),
)

const byId = statement(
  ({ organizationId, id }: Given<{ id: RoleId }>) => sql<CustomRole>`
    select ${columns} from roles where organization_id = ${organizationId} and id = ${id}::uuid`,
)

export type NewRoleRow = {
  readonly id: RoleId
  readonly name: string
  readonly description: string
  readonly scopes: readonly Scope[]
  readonly createdBy: PrincipalId | null
}

const insert = creating(
  'role',
  'id',
  statement(
    (row: Given<NewRoleRow>) => sql<CustomRole>`
    insert into roles (organization_id, id, name, description, scopes, created_by)
    values (${row.organizationId}, ${row.id}, ${row.name}, ${row.description}, ${row.scopes}, ${row.createdBy})
    returning ${columns}`,
  ),
)

type RoleTexts = Omit<NewRoleRow, 'createdBy'>

const update = statement(
  (row: Given<RoleTexts>) => sql<CustomRole>`
    update roles set name = ${row.name}, description = ${row.description}, scopes = ${row.scopes}, updated_at = now()
    where organization_id = ${row.organizationId} and id = ${row.id}::uuid
    returning ${columns}`,
)

/** Members have the scopes of their role in their row of `tokens`, so that a request need not read the role. */
const updateMembers = dedicatedConnection(
  statement(
    ({ organizationId, id, scopes }: Given<Pick<RoleTexts, 'id' | 'scopes'>>) => sql`
      update tokens set scopes = ${scopes}
      where organization_id = ${organizationId} and id in (
        select id from members where organization_id = ${organizationId} and role = ${id} and removed_at is null
      )`,
  ),
)

type Uses = { readonly members: number; readonly invitations: number }

const uses = statement(
  ({ organizationId, id }: Given<{ id: RoleId }>) => sql<Uses>`
    select (
      select count(*)::int from members
      where organization_id = ${organizationId} and role = ${id} and removed_at is null
    ) as members, (
      select count(*)::int from invitations
      where organization_id = ${organizationId} and role = ${id} and expires_at > now()
    ) as invitations`,
)

const remove = statement(
  ({ organizationId, id }: Given<{ id: RoleId }>) => sql`
    delete from roles where organization_id = ${organizationId} and id = ${id}::uuid`,
)

/** All custom roles, oldest first: ids are UUIDv7. */
export async function selectRoles(db: OrganizationDb): Promise<CustomRole[]> {
  const [rows] = await db.run(all({}))
  return rows
}

/** The number of members by the id of their role; roles without members are absent. */
export async function countMembersByRole(db: OrganizationDb): Promise<ReadonlyMap<string, number>> {
  const [rows] = await db.run(memberCounts({}))
  return new Map(rows.map(({ role, count }) => [role, count]))
}

export async function findRole(db: OrganizationDb, id: RoleId): Promise<CustomRole | undefined> {
  const [[row]] = await db.run(byId({ id }))
  return row
}

export async function insertRole(tx: OrganizationDb, row: NewRoleRow): Promise<CustomRole> {
  const [[inserted]] = await tx.run(insert(row))
  if (!inserted) throw new Error('Inserting a role returned no row')
  return inserted
}

export async function updateRole(tx: OrganizationDb, row: RoleTexts): Promise<CustomRole> {
  const [[updated]] = await tx.run(update(row))
  if (!updated) throw new Error('Updating a role returned no row')
  return updated
}

export async function updateScopesOfMembers(tx: OrganizationDb, id: RoleId, scopes: readonly Scope[]): Promise<void> {
  await tx.run(updateMembers({ id, scopes }))
}

/** The number of members and of open invitations with the role. */
export async function countUses(tx: OrganizationDb, id: RoleId): Promise<Uses> {
  const [[row]] = await tx.run(uses({ id }))
  return row ?? { members: 0, invitations: 0 }
}

export async function deleteRole(tx: OrganizationDb, id: RoleId): Promise<void> {
  await tx.run(remove({ id }))
}
