import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import { newTokenId, type TokenId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { recordEvents } from '../events/events.ts'
import { hashOfToken, newTokenText } from './token-text.ts'
import { tokenCreated, tokenRevoked, tokenRotated } from './tokens.events.ts'
import {
  asExpiry,
  assertMayGrant,
  assertRoomForToken,
  assertRotatable,
  earlierExpiry,
  type Token,
} from './tokens.rules.ts'
import * as store from './tokens.store.ts'

export type { Token }

/** A new token with its secret text, which is returned once and never stored. */
export type IssuedToken = Token & { readonly text: string }

export type TokenInput = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
}

/** The token that grants another one. The admin commands grant every scope and have no expiry. */
export type Grantor = { readonly scopes: readonly Scope[]; readonly expiresAt: string | null }

export async function createToken(db: OrganizationDb, grantor: Grantor, input: TokenInput): Promise<IssuedToken> {
  assertMayGrant(grantor.scopes, input.scopes)
  const expiresAt = asExpiry(input.expiresAt, grantor.expiresAt, new Date())
  return db.transaction((tx) => issue(tx, { ...input, expiresAt, name: cleanTitle(input.name, 'name') }))
}

/**
 * Issues a new token with the same name and scopes, which expires with its grantor at the latest.
 * The old one stays valid for `overlapSeconds`.
 */
export async function rotateToken(
  db: OrganizationDb,
  grantor: Grantor,
  { id, overlapSeconds }: { readonly id: TokenId; readonly overlapSeconds: number },
): Promise<IssuedToken> {
  return db.transaction(async (tx) => {
    const old = await store.findTokenToRotate(tx, id)
    if (!old) throw tokenNotFound()
    assertRotatable(old)
    assertMayGrant(grantor.scopes, old.scopes)
    const expiresAt = earlierExpiry(old.grantedUntil, grantor.expiresAt)
    const issued = await issue(tx, { ...old, expiresAt })
    await store.retireTokenAfter(tx, id, overlapSeconds)
    await recordEvents(tx, tokenRotated({ id, name: old.name }))
    return issued
  })
}

async function issue(tx: OrganizationDb, input: TokenInput): Promise<IssuedToken> {
  assertRoomForToken(await store.lockAndCountLiveTokens(tx))
  const text = newTokenText(tx.organizationId)
  const token = await store.insertToken(tx, {
    id: newTokenId(),
    name: input.name,
    scopes: input.scopes,
    expiresAt: input.expiresAt,
    tokenHash: hashOfToken(text),
  })
  await recordEvents(tx, tokenCreated(token))
  return { ...token, text }
}

export async function requireToken(db: OrganizationDb, id: TokenId): Promise<Token> {
  const token = await store.findToken(db, id)
  if (!token) throw tokenNotFound()
  return token
}

export async function revokeToken(db: OrganizationDb, id: TokenId): Promise<void> {
  await db.transaction(async (tx) => {
    const token = await store.markRevoked(tx, id)
    if (!token) throw tokenNotFound()
    if (!token.wasRevoked) await recordEvents(tx, tokenRevoked(token))
  })
}

export async function listTokens(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<Token> & { count: number }> {
  const { rows, count } = await store.selectTokens(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

const tokenNotFound = () => refused('token_not_found', 'The token does not exist in this organization.')
