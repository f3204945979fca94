import { sql } from 'kysely'
import type { FolderUuid, OrganizationId, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type PersonKey = { readonly issuer: string; readonly subject: string }

export type NewSession = PersonKey & {
  readonly id: string
  readonly secretHash: Buffer
  /** Hash of the cookie that the new session replaces. */
  readonly replacedHash: Buffer | null
  readonly method: string
  readonly lifetimeSeconds: number
  readonly providerSession: string | null
  readonly address: string
  readonly userAgent: string
}

const insert = statement(
  (given: Given<NewSession>) => sql<{ createdAt: Timestamp; expiresAt: Timestamp }>`
    select created_at as "createdAt", expires_at as "expiresAt" from people.sign_in(
      ${given.id}, ${given.secretHash}, ${given.replacedHash}, ${given.issuer}, ${given.subject}, ${given.method},
      ${given.lifetimeSeconds}::integer, ${given.providerSession}, ${given.address}, ${given.userAgent})`,
)

export async function insertSession(database: Database, session: NewSession) {
  const [inserted] = await database.runUnscoped(insert(session))
  if (!inserted) throw new Error('people.sign_in returned no row')
  return inserted
}

type FoundSession = PersonKey & {
  readonly id: string
  readonly authenticatedAt: Timestamp
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  readonly method: string | null
}

const byCookie = statement(
  ({ secretHash, idleSeconds }: Given<{ secretHash: Buffer; idleSeconds: number }>) => sql<FoundSession>`
    select found.session_id as id, found.issuer, found.subject, found.authenticated_at as "authenticatedAt",
      described.created_at as "createdAt", found.ends_at as "expiresAt", described.method
    from people.find_session(${secretHash}, ${idleSeconds}::integer) as found,
      people.describe_session(found.session_id) as described`,
)

export async function selectSession(database: Database, secretHash: Buffer, idleSeconds: number) {
  const [found] = await database.runUnscoped(byCookie({ secretHash, idleSeconds }))
  return found
}

export type SessionRow = {
  readonly id: string
  readonly createdAt: Timestamp
  readonly lastUsedAt: Timestamp
  readonly expiresAt: Timestamp
  readonly method: string | null
  readonly address: string | null
  readonly userAgent: string | null
}

const ofPerson = statement(
  ({ issuer, subject, idleSeconds }: Given<PersonKey & { idleSeconds: number }>) => sql<SessionRow>`
    select id, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt", method, address,
      user_agent as "userAgent"
    from people.sessions_of(${issuer}, ${subject}, ${idleSeconds}::integer)`,
)

export const selectSessions = (database: Database, person: PersonKey, idleSeconds: number): Promise<SessionRow[]> =>
  database.runUnscoped(ofPerson({ ...person, idleSeconds }))

type Ended = { readonly onlyId: string | null; readonly exceptId: string | null }

const end = statement(
  ({ issuer, subject, onlyId, exceptId }: Given<PersonKey & Ended>) => sql<{ ended: number }>`
    select people.end_sessions(${issuer}, ${subject}, ${onlyId}, ${exceptId}) as ended`,
)

/** Deletes one session of the person, or all but one, also in a transaction. Returns how many. */
export async function deleteSessions(
  db: Database | OrganizationDb,
  { issuer, subject }: PersonKey,
  which: Partial<Ended>,
): Promise<number> {
  const { onlyId = null, exceptId = null } = which
  const query = end({ issuer, subject, onlyId, exceptId })
  const [row] = 'runUnscoped' in db ? await db.runUnscoped(query) : (await db.run(query))[0]
  return row?.ended ?? 0
}

type ProviderSession = { readonly issuer: string; readonly subject: string | null; readonly session: string | null }

const endOfProvider = statement(
  ({ issuer, subject, session }: Given<ProviderSession>) => sql<{ ended: number }>`
    select people.end_provider_sessions(${issuer}, ${subject}, ${session}) as ended`,
)

/** Deletes the sessions of a person or of one session at an identity provider. */
export async function deleteProviderSessions(database: Database, which: ProviderSession): Promise<void> {
  await database.runUnscoped(endOfProvider(which))
}

export type Membership = {
  readonly organizationId: OrganizationId
  readonly organizationName: string
  readonly memberId: PrincipalId
  readonly roleId: string
  /** Null for a built-in role. */
  readonly customRoleName: string | null
  readonly scopes: readonly string[]
  readonly folderUuid: FolderUuid | null
  /** Null if the organization has none. */
  readonly defaultResolutions: readonly string[] | null
  readonly defaultContentProtection: string
  /** Name and email address of the person in this organization. */
  readonly name: string
  readonly email: string | null
}

const memberships = statement(
  ({ issuer, subject }: Given<PersonKey>) => sql<Membership>`
    select organization_id as "organizationId", organization_name as "organizationName", member_id as "memberId",
      role as "roleId", custom_role_name as "customRoleName", scopes, folder_uuid as "folderUuid", name, email,
      default_resolutions as "defaultResolutions",
      default_content_protection_type as "defaultContentProtection"
    from people.memberships_of(${issuer}, ${subject})`,
)

export const selectMemberships = (database: Database, { issuer, subject }: PersonKey): Promise<Membership[]> =>
  database.runUnscoped(memberships({ issuer, subject }))

const deleteSome = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ deleted: number }>`
    select people.delete_ended(${limit}::integer) as deleted`,
)

/** Deletes ended sessions, challenges and counters, a limited number at a time. Returns how many. */
export async function deleteEnded(database: Database, limit: number): Promise<number> {
  const [row] = await database.runUnscoped(deleteSome({ limit }))
  return row?.deleted ?? 0
}
