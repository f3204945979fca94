import { sql } from 'kysely'
import type { PrincipalId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { Person } from '../members.rules.ts'

type NewLink = {
  readonly memberId: PrincipalId
  readonly secretHash: Buffer
  readonly createdBy: PrincipalId | null
  readonly seconds: number
}

/** A new link replaces an earlier one of the member. */
const insert = statement(
  ({ organizationId, memberId, secretHash, createdBy, seconds }: Given<NewLink>) => sql<{ expiresAt: Timestamp }>`
    insert into recovery_links (organization_id, member_id, secret_hash, created_by, expires_at)
    values (${organizationId}, ${memberId}, ${secretHash}, ${createdBy}, now() + make_interval(secs => ${seconds}))
    on conflict (organization_id, member_id) do update set
      secret_hash = excluded.secret_hash, created_by = excluded.created_by, expires_at = excluded.expires_at
    returning expires_at as "expiresAt"`,
)

/** A link that has not expired, and its creator. */
export type OpenLink = { readonly memberId: PrincipalId; readonly createdBy: PrincipalId | null }

type BySecret = { readonly secretHash: Buffer }

const isOpen = ({ organizationId, secretHash }: Given<BySecret>) =>
  sql`organization_id = ${organizationId} and secret_hash = ${secretHash} and expires_at > now()`
const linkColumns = sql`member_id as "memberId", created_by as "createdBy"`

const bySecret = statement(
  (given: Given<BySecret>) => sql<OpenLink>`select ${linkColumns} from recovery_links where ${isOpen(given)}`,
)

const remove = statement(
  (given: Given<BySecret>) => sql<OpenLink>`delete from recovery_links where ${isOpen(given)} returning ${linkColumns}`,
)

const elsewhere = statement(
  ({ organizationId, issuer, subject }: Given<Pick<Person, 'issuer' | 'subject'>>) => sql<{ isElsewhere: boolean }>`
    select people.belongs_elsewhere(${organizationId}, ${issuer}, ${subject}) as "isElsewhere"`,
)

export async function insertLink(tx: OrganizationDb, link: NewLink): Promise<Timestamp> {
  const [[row]] = await tx.run(insert(link))
  if (!row) throw new Error('Inserting a recovery link returned no row')
  return row.expiresAt
}

export async function findLink(db: OrganizationDb, secretHash: Buffer): Promise<OpenLink | undefined> {
  const [[row]] = await db.run(bySecret({ secretHash }))
  return row
}

/** Deletes the link, so that it is used once. */
export async function deleteLink(tx: OrganizationDb, secretHash: Buffer): Promise<OpenLink | undefined> {
  const [[row]] = await tx.run(remove({ secretHash }))
  return row
}

/** Whether the person is also a member of another organization of this installation. */
export async function belongsElsewhere(
  db: OrganizationDb,
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
): Promise<boolean> {
  const [[row]] = await db.run(elsewhere({ issuer, subject }))
  return row?.isElsewhere ?? false
}
