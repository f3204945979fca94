import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Scope } from '@reelkeep/contract'
import type { Caller } from './caller.ts'
import type { Superuser } from './superuser.ts'

export type MemberOptions = {
  readonly scopes?: readonly Scope[]
  readonly role?: string
  readonly folderUuid?: string
  readonly ownOnly?: boolean
}

export type Member = {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly sessionId: string
  /** Calls the API with the cookie of the member's session. */
  readonly caller: Caller
}

/** A member of the caller's organization who has just signed in. */
export async function newMember(superuser: Superuser, caller: Caller, options: MemberOptions = {}): Promise<Member> {
  const { scopes = ['*'], role = 'owner', folderUuid = null, ownOnly = false } = options
  const [id, sessionId, subject] = [randomUUID(), randomUUID(), randomUUID()]
  const issuer = 'local'
  await superuser.query(
    `insert into tokens (organization_id, id, name, kind, scopes, folder_uuid, own_only)
     values ($1, $2, 'Ada', 'member', $3, $4, $5)`,
    [caller.organizationId, id, scopes, folderUuid, ownOnly],
  )
  await superuser.query(
    'insert into members (organization_id, id, issuer, subject, role) values ($1, $2, $3, $4, $5)',
    [caller.organizationId, id, issuer, subject, role],
  )
  const text = await newSession(superuser, { issuer, subject, sessionId })
  return { id, issuer, subject, sessionId, caller: caller.withToken(text) }
}

type NewSession = Pick<Member, 'issuer' | 'subject'> & { readonly sessionId?: string }

/** Signs a person in, and returns the secret of the session. */
export async function newSession(superuser: Superuser, person: NewSession): Promise<string> {
  const { issuer, subject, sessionId = randomUUID() } = person
  const text = `rls_${randomBytes(32).toString('base64url')}`
  const hash = createHash('sha256').update(text).digest()
  await superuser.query('select people.start_session($1, $2, $3, $4, 3600, null, null, null)', [
    ...[sessionId, hash, issuer, subject],
  ])
  return text
}
