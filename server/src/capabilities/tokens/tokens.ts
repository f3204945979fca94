import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import { newTokenId, type TokenId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/keyset.ts'
import { recordEvents } from '../events/events.ts'
import { hashOfToken, newTokenText } from './token-text.ts'
import { tokenCreated, tokenRevoked, tokenRotated } from './tokens.events.ts'
import {
  asExpiry,
  assertMayGrant,
  assertRoomForToken,
  assertRotatable,
  earlier,
  type Token,
} from './tokens.rules.ts'
import * as store from './tokens.store.ts'

export type { Token }

/** A token with its text, which exists only here and in the answer to its creator. */
export type IssuedToken = Token & { readonly text: string }

export type TokenWish = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
}

/** Whoever asks for a token; the administrator's command line has every scope and no end. */
export type Grantor = { readonly scopes: readonly Scope[]; readonly expiresAt: string | null }

export async function createToken(
  db: OrganizationDb,
  grantor: Grantor,
  wish: TokenWish,
): Promise<IssuedToken> {
  assertMayGrant(grantor.scopes, wish.scopes)
  const expiresAt = asExpiry(wish.expiresAt, grantor.expiresAt, new Date())
  return db.transaction((tx) =>
    issue(tx, { ...wish, expiresAt, name: cleanTitle(wish.name, 'name') }),
  )
}

/**
 * A new token of the same name and scopes, which ends with its grantor at the latest; the old one
 * goes on for a while.
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
    const expiresAt = earlier(old.grantedUntil, grantor.expiresAt)
    const issued = await issue(tx, { ...old, expiresAt })
    await store.retireTokenAfter(tx, id, overlapSeconds)
    await recordEvents(tx, tokenRotated({ id, name: old.name }))
    return issued
  })
}

async function issue(tx: OrganizationDb, wish: TokenWish): Promise<IssuedToken> {
  assertRoomForToken(await store.lockAndCountLiveTokens(tx))
  const text = newTokenText(tx.organizationId)
  const token = await store.insertToken(tx, {
    id: newTokenId(),
    name: wish.name,
    scopes: wish.scopes,
    expiresAt: wish.expiresAt,
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

const tokenNotFound = () => refused('token_not_found', 'No such token in this organization.')
