import { sql } from 'kysely'
import type { FolderUuid, InvitationId, PrincipalId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { Invitation } from './invitations.rules.ts'

const columns = sql`invitations.id, email, role as "roleId", folder_uuid as "folderUuid",
  invitations.created_at as "createdAt", expires_at as "expiresAt", ${creatorColumns('invitations')}, (
    select roles.name from roles
    where roles.organization_id = invitations.organization_id and roles.id::text = invitations.role
  ) as "customRoleName"`

export type NewInvitationRow = {
  readonly id: InvitationId
  readonly secretHash: Buffer
  readonly email: string
  readonly roleId: string
  readonly folderUuid: FolderUuid | null
  readonly createdBy: PrincipalId | null
  readonly seconds: number
}

const insert = creating(
  'invitation',
  'id',
  statement(
    (row: Given<NewInvitationRow>) => sql<Invitation>`
    insert into invitations (organization_id, id, secret_hash, email, role, folder_uuid, created_by, expires_at)
    values (${row.organizationId}, ${row.id}, ${row.secretHash}, ${row.email}, ${row.roleId}, ${row.folderUuid},
      ${row.createdBy}, now() + make_interval(secs => ${row.seconds}))
    returning ${columns}`,
  ),
)

const removeExpired = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from invitations where organization_id = ${organizationId} and expires_at <= now()`,
)

const countOpen = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from invitations where organization_id = ${organizationId} and expires_at > now()`,
)

/** Newest first: ids are UUIDv7. */
const readPage = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) => sql<Invitation>`
    select ${columns} from invitations
    where organization_id = ${organizationId} and expires_at > now() and ${afterPosition} ${order} limit ${limit}`,
)

type BySecret = { readonly secretHash: Buffer }

const isOpen = ({ organizationId, secretHash }: Given<BySecret>) =>
  sql`organization_id = ${organizationId} and secret_hash = ${secretHash} and expires_at > now()`

const bySecret = statement(
  (given: Given<BySecret>) => sql<Invitation>`select ${columns} from invitations where ${isOpen(given)}`,
)

const use = statement(
  (given: Given<BySecret>) => sql<Invitation>`delete from invitations where ${isOpen(given)} returning ${columns}`,
)

const remove = dedicatedConnection(
  statement(
    ({ organizationId, id }: Given<{ id: InvitationId }>) => sql<{ roleId: string }>`
      delete from invitations where organization_id = ${organizationId} and id = ${id} and expires_at > now()
      returning role as "roleId"`,
  ),
)

/** Deletes expired invitations and counts the others. */
export async function countOpenInvitations(tx: OrganizationDb): Promise<number> {
  const [, [row]] = await tx.run(removeExpired({}), countOpen({}))
  return row?.count ?? 0
}

export async function insertInvitation(tx: OrganizationDb, row: NewInvitationRow): Promise<Invitation> {
  const [[inserted]] = await tx.run(insert(row))
  if (!inserted) throw new Error('Inserting an invitation returned no row')
  return inserted
}

export async function selectInvitations(db: OrganizationDb, request: PageRequest): Promise<RowsWithCount<Invitation>> {
  return toRowsWithCount(await db.run(readPage({}, request), countOpen({})))
}

export async function findInvitation(db: OrganizationDb, secretHash: Buffer): Promise<Invitation | undefined> {
  const [[row]] = await db.run(bySecret({ secretHash }))
  return row
}

/** Deletes the invitation, so that it is used once. */
export async function useInvitation(tx: OrganizationDb, secretHash: Buffer): Promise<Invitation | undefined> {
  const [[row]] = await tx.run(use({ secretHash }))
  return row
}

/** Returns the role of the deleted invitation. */
export async function deleteInvitation(tx: OrganizationDb, id: InvitationId): Promise<string | undefined> {
  const [[row]] = await tx.run(remove({ id }))
  return row?.roleId
}
