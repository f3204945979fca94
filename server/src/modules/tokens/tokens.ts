import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import {
  newTokenId,
  type OrganizationId,
  type PrincipalId,
  type TokenId,
  type UploadSessionUuid,
} from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import type { CreatedObject } from '../../platform/db/statement.ts'
import { recordEvents } from '../events/events.ts'
import {
  asExpiry,
  assertMayGrant,
  assertMayRevoke,
  assertOwnerRemains,
  earlierExpiry,
  type Grantor,
  limitsForNew,
  limitsOf,
  lockGrant,
} from '../grants/grants.ts'
import {
  hashOfToken,
  isLinkSecret,
  isUploadToken,
  newInvitationText,
  newRecoveryText,
  newTokenText,
  newUploadTokenText,
  organizationInToken,
} from './token-text.ts'
import { memberRemoved, tokenCreated, tokenRevoked, tokenRotated } from './tokens.events.ts'
import { assertRoomForToken, assertRotatable, type Token, UPLOAD_TOKEN_SCOPES } from './tokens.rules.ts'
import * as store from './tokens.store.ts'
import { removeUploadToken } from './upload-token.store.ts'

export type { Token }
export { hashOfToken, limitsOf, newInvitationText, newRecoveryText, organizationInToken }
export const { lockPrincipals, markUsed, notifyPrincipalsEnded, principalColumns, TOKENS_ENDED_CHANNEL } = store

/** A new token with its secret text, which is returned once and never stored. */
export type IssuedToken = Token & { readonly text: string }

export type TokenInput = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  /** Limits the token to this folder; undefined or null for the folder of the grantor, if it has one. */
  readonly folder?: string | null | undefined
}

export async function createToken(db: OrganizationDb, grantor: Grantor, input: TokenInput): Promise<IssuedToken> {
  const name = cleanTitle(input.name, 'name')
  return db.transaction(async (tx) => {
    const liveTokens = await store.lockAndCountLiveTokens(tx)
    const grant = await lockGrant(tx, grantor)
    assertMayGrant(grant.scopes, input.scopes)
    const expiresAt = asExpiry(input.expiresAt, grant.expiresAt, new Date())
    assertRoomForToken(liveTokens)
    const limits = await limitsForNew(tx, grant, input.folder ?? null)
    return issue(tx, { name, scopes: input.scopes, expiresAt, createdBy: grant.createdBy, ...limits })
  })
}

/**
 * Issues a new token with the same name, scopes and folder, which expires with its grantor at the latest.
 * The old one stays valid for `overlapSeconds`.
 */
export async function rotateToken(
  db: OrganizationDb,
  grantor: Grantor,
  { id, overlapSeconds }: { readonly id: TokenId; readonly overlapSeconds: number },
): Promise<IssuedToken> {
  return db.transaction(async (tx) => {
    const liveTokens = await store.lockAndCountLiveTokens(tx)
    const grant = await lockGrant(tx, grantor)
    const old = await store.findTokenToRotate(tx, id)
    if (!old) throw tokenNotFound()
    assertRotatable(old)
    assertMayGrant(grant.scopes, old.scopes)
    assertRoomForToken(liveTokens)
    const expiresAt = earlierExpiry(old.grantedUntil, grant.expiresAt)
    const { name, scopes, folderUuid, ownOnly } = old
    const issued = await issue(tx, { name, scopes, expiresAt, createdBy: grant.createdBy, folderUuid, ownOnly })
    await store.retireTokenAfter(tx, id, overlapSeconds)
    await recordEvents(tx, tokenRotated({ id, name }))
    return issued
  })
}

async function issue(tx: OrganizationDb, row: Omit<store.NewTokenRow, 'id' | 'tokenHash'>): Promise<IssuedToken> {
  const text = newTokenText(tx.organizationId)
  const token = await store.insertToken(tx, { ...row, id: newTokenId(), tokenHash: hashOfToken(text) })
  await recordEvents(tx, tokenCreated(token))
  return { ...token, text }
}

export async function requireToken(db: OrganizationDb, id: TokenId): Promise<Token> {
  const token = await store.findToken(db, id)
  if (!token) throw tokenNotFound()
  return token
}

/** The revoker: an API token, or an admin command, which has every scope. */
export type Revoker = { readonly scopes: readonly Scope[] }

type Revocation = { readonly id: TokenId; readonly withDescendants: boolean }

/** Revokes a token, also with everything that was created with it. Idempotent. */
export async function revokeToken(
  db: OrganizationDb,
  revoker: Revoker,
  { id, withDescendants }: Revocation,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (withDescendants) await store.lockPrincipals(tx)
    const token = await store.lockTokenToRevoke(tx, id)
    if (!token) throw tokenNotFound()
    assertMayRevoke(revoker.scopes, token.scopes)
    if (withDescendants) await endPrincipals(tx, revoker, { id, withDescendants })
    else await revokeOne(tx, token)
  })
}

/**
 * Ends a token or member, also with everything that it created. The revoker must have the scopes of all that ends, and
 * an owner must remain. The caller has locked the principals.
 */
export async function endPrincipals(
  tx: OrganizationDb,
  revoker: Revoker,
  ending: { readonly id: PrincipalId; readonly withDescendants: boolean },
): Promise<void> {
  const ended = await store.revokePrincipals(tx, ending)
  for (const { scopes } of ended) assertMayRevoke(revoker.scopes, scopes)
  if (ended.some(({ role, scopes }) => role !== null && scopes.includes('*'))) await assertOwnerRemains(tx)
  const events = ended.map((each) =>
    each.role === null ? tokenRevoked(each) : memberRemoved({ ...each, role: each.role }),
  )
  if (events.length > 0) await recordEvents(tx, ...events)
}

async function revokeOne(tx: OrganizationDb, token: Pick<Token, 'id' | 'name' | 'revokedAt'>): Promise<void> {
  if (token.revokedAt !== null) return
  await store.markRevoked(tx, token.id)
  await recordEvents(tx, tokenRevoked(token))
}

/** A new upload token. The caller stores its hash and its creator with the session. */
export type NewUploadToken = { readonly text: string; readonly hash: Buffer; readonly grantedBy: TokenId }

/** Creates an upload token for a session that is inserted in the same transaction. */
export async function newUploadToken(tx: OrganizationDb, grantedBy: TokenId): Promise<NewUploadToken> {
  const grant = await lockGrant(tx, { id: grantedBy })
  assertMayGrant(grant.scopes, UPLOAD_TOKEN_SCOPES, 'upload_token')
  const text = newUploadTokenText(tx.organizationId)
  return { text, hash: hashOfToken(text), grantedBy }
}

type RevokedToken = { readonly organizationId: OrganizationId } & (
  | { readonly id: TokenId }
  | { readonly uploadSessionUuid: UploadSessionUuid }
  | { readonly isLink: true }
)

export type LeakedTokens = {
  readonly onRevoked: (token: RevokedToken) => void
  /** Returns the record of the revocation of a token. */
  readonly recordFor: (object: CreatedObject) => ChangeRecord
}

/**
 * Revokes the live tokens, invitations and recovery links among the given texts; other texts have no effect. If one
 * cannot be revoked now, the others are, and then the error is thrown, so that the caller retries.
 */
export async function revokeLeakedTokens(
  database: Database,
  texts: readonly string[],
  { onRevoked, recordFor }: LeakedTokens,
): Promise<void> {
  const errors: unknown[] = []
  for (const text of texts) {
    const revoked = await revokeLeakedToken(database, text, recordFor).catch((error: unknown) => {
      errors.push(error)
      return undefined
    })
    if (revoked) onRevoked(revoked)
  }
  if (errors.length > 0) throw errors[0]
}

async function revokeLeakedToken(
  database: Database,
  text: string,
  recordFor: LeakedTokens['recordFor'],
): Promise<RevokedToken | undefined> {
  const organizationId = organizationInToken(text)
  if (organizationId === undefined) return undefined
  const recording = (object: CreatedObject) => database.forOrganization(organizationId, recordFor(object))
  const db = recording({ type: 'organization', id: organizationId })
  if (isUploadToken(text)) {
    const uploadSessionUuid = await removeUploadToken(db, hashOfToken(text))
    return uploadSessionUuid && { organizationId, uploadSessionUuid }
  }
  if (isLinkSecret(text))
    return (await store.removeLink(db, hashOfToken(text))) ? { organizationId, isLink: true } : undefined
  const { token } = await store.findLiveToken(db, hashOfToken(text))
  if (!token) return undefined
  await revokeToken(
    recording({ type: 'token', id: token.id }),
    { scopes: ['*'] },
    { id: token.id, withDescendants: false },
  )
  return { organizationId, id: token.id }
}

export async function listTokens(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<Token> & { count: number }> {
  const { rows, count } = await store.selectTokens(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

const tokenNotFound = () => refused('token_not_found', 'The token does not exist in this organization.')
