import { tokens as contract, type Scope } from '@reelkeep/contract'
import type { TokenId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { TokenCache } from './token-cache.ts'
import {
  createToken,
  type IssuedToken,
  listTokens,
  requireToken,
  revokeToken,
  rotateToken,
  type Token,
} from './tokens.ts'

export function registerTokenRoutes(api: Api, cache: TokenCache): void {
  route(api, contract.createToken, async ({ db, principal, body }) => {
    const input = { name: body.name, scopes: body.scopes, expiresAt: body.expires_at ?? null }
    return toNewToken(await createToken(db, principal, input))
  })

  route(api, contract.listTokens, async ({ db, query, listUrl }) => {
    const page = await listTokens(db, pageRequestOf(query, isUuidKey))
    return toPage(listUrl, page, toWire)
  })

  route(api, contract.readCurrentToken, async ({ db, principal }) => toWire(await requireToken(db, principal.tokenId)))

  route(api, contract.readToken, async ({ db, params }) => toWire(await requireToken(db, params.token_id as TokenId)))

  route(api, contract.rotateToken, async ({ db, principal, params, body, afterCommit }) => {
    const input = { id: params.token_id as TokenId, overlapSeconds: body.overlap_seconds ?? 3600 }
    afterCommit(() => cache.invalidate(db.organizationId))
    return toNewToken(await rotateToken(db, principal, input))
  })

  route(api, contract.revokeToken, async ({ db, params, afterCommit }) => {
    afterCommit(() => cache.invalidate(db.organizationId))
    await revokeToken(db, params.token_id as TokenId)
  })
}

function toWire(token: Token): contract.Token {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes as Scope[],
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
  }
}

const toNewToken = (issued: IssuedToken): contract.NewToken => ({
  ...toWire(issued),
  token: issued.text,
})
