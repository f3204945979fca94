/** A member is a row of `members` and the row of `tokens` with the same id, which has its rights. */
import type { Scope } from '@reelkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import type { FolderUuid, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, customPlan, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { Member, Person } from './members.rules.ts'

type ById = { readonly id: PrincipalId }

const selectMember = (organizationId: unknown) => sql`
  select members.id, issuer, subject, tokens.name, email, role as "roleId", tokens.scopes,
    tokens.folder_uuid as "folderUuid", joined_at as "createdAt", expires_at as "expiresAt",
    last_used_at as "lastUsedAt", roles.name as "customRoleName", ${creatorColumns('tokens')}
  from members
  join tokens on tokens.organization_id = ${organizationId} and tokens.id = members.id
  left join roles on roles.organization_id = ${organizationId} and roles.id::text = members.role
  where members.organization_id = ${organizationId} and removed_at is null`

const byId = statement(
  ({ organizationId, id }: Given<ById>) => sql<Member>`${selectMember(organizationId)} and members.id = ${id}`,
)

const byPerson = statement(
  ({ organizationId, issuer, subject }: Given<Pick<Person, 'issuer' | 'subject'>>) => sql<Member>`
    ${selectMember(organizationId)} and issuer = ${issuer} and subject = ${subject}`,
)

const byEmail = dedicatedConnection(
  statement(
    ({ organizationId, email }: Given<{ email: string }>) => sql<Member>`
      ${selectMember(organizationId)} and lower(email) = lower(${email}) order by members.id limit 2`,
  ),
)

export type MemberFilter = { readonly roleId: string | null; readonly text: string | null }

const matches = ({ roleId, text }: Given<MemberFilter>): RawBuilder<boolean> => sql<boolean>`(
  (${roleId}::text is null or role = ${roleId}::text) and (
    ${text}::text is null
    or position(lower(${text}::text) in lower(tokens.name)) > 0
    or position(lower(${text}::text) in lower(email)) > 0
  )
)`

/** Newest first: ids are UUIDv7. */
const readPage = keysetQuery(
  { columns: ['members.id'], direction: 'desc' },
  (given: Given<MemberFilter>, { afterPosition, order, limit }) => sql<Member>`
    ${selectMember(given.organizationId)} and ${matches(given)} and ${afterPosition} ${order} limit ${limit}`,
)

const countMatches = customPlan(
  statement(
    (given: Given<MemberFilter>) => sql<{ count: number }>`
      select count(*) as count from members
      join tokens on tokens.organization_id = ${given.organizationId} and tokens.id = members.id
      where members.organization_id = ${given.organizationId} and removed_at is null and ${matches(given)}`,
  ),
)

const countAll = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<{ count: number }>`
      select count(*) as count from members where organization_id = ${organizationId} and removed_at is null`,
  ),
)

export type NewMemberRow = Person & {
  readonly id: PrincipalId
  readonly roleId: string
  readonly scopes: readonly Scope[]
  readonly isOwnOnly: boolean
  readonly folderUuid: FolderUuid | null
  readonly expiresAt: Timestamp | null
  readonly createdBy: PrincipalId | null
}

const insertPrincipal = statement(
  (row: Given<NewMemberRow>) => sql`
    insert into tokens (organization_id, id, kind, name, scopes, folder_uuid, own_only, expires_at, created_by)
    values (${row.organizationId}, ${row.id}, 'member', ${row.name}, ${row.scopes}, ${row.folderUuid},
      ${row.isOwnOnly}, ${row.expiresAt}, ${row.createdBy})`,
)

const insert = creating(
  'member',
  'id',
  statement(
    (row: Given<NewMemberRow>) => sql`
      insert into members (organization_id, id, issuer, subject, email, role)
      values (${row.organizationId}, ${row.id}, ${row.issuer}, ${row.subject}, ${row.email}, ${row.roleId})`,
  ),
)

export type RightsRow = Pick<NewMemberRow, 'id' | 'roleId' | 'scopes' | 'isOwnOnly' | 'folderUuid' | 'expiresAt'>

const updatePrincipal = statement(
  (row: Given<RightsRow>) => sql`
    update tokens set scopes = ${row.scopes}, folder_uuid = ${row.folderUuid}, own_only = ${row.isOwnOnly},
      expires_at = ${row.expiresAt}
    where organization_id = ${row.organizationId} and id = ${row.id}`,
)

const update = statement(
  ({ organizationId, id, roleId }: Given<Pick<RightsRow, 'id' | 'roleId'>>) => sql`
    update members set role = ${roleId}, updated_at = now() where organization_id = ${organizationId} and id = ${id}`,
)

type Removal = Pick<Person, 'issuer' | 'subject'> & { readonly since: Timestamp }

const removedSince = statement(
  ({ organizationId, issuer, subject, since }: Given<Removal>) => sql<ById>`
    select id from members
    where organization_id = ${organizationId} and issuer = ${issuer} and subject = ${subject} and removed_at >= ${since}
    limit 1`,
)

export async function findMember(db: OrganizationDb, id: PrincipalId): Promise<Member | undefined> {
  const [[row]] = await db.run(byId({ id }))
  return row
}

export async function findMemberByPerson(
  db: OrganizationDb,
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
): Promise<Member | undefined> {
  const [[row]] = await db.run(byPerson({ issuer, subject }))
  return row
}

/** The members with an email address, at most two. Addresses are compared without case. */
export async function findMembersByEmail(db: OrganizationDb, email: string): Promise<Member[]> {
  const [rows] = await db.run(byEmail({ email }))
  return rows
}

export async function selectMembers(
  db: OrganizationDb,
  filter: MemberFilter,
  request: PageRequest,
): Promise<RowsWithCount<Member>> {
  return toRowsWithCount(await db.run(readPage(filter, request), countMatches(filter)))
}

export async function countMembers(db: OrganizationDb): Promise<number> {
  const [[row]] = await db.run(countAll({}))
  return row?.count ?? 0
}

export async function insertMember(tx: OrganizationDb, row: NewMemberRow): Promise<void> {
  await tx.run(insertPrincipal(row), insert(row))
}

export async function updateRights(tx: OrganizationDb, row: RightsRow): Promise<void> {
  await tx.run(updatePrincipal(row), update(row))
}

/** Whether the person was a member and was removed at this time or later. */
export async function wasRemovedSince(tx: OrganizationDb, removal: Removal): Promise<boolean> {
  const [rows] = await tx.run(removedSince(removal))
  return rows.length > 0
}
