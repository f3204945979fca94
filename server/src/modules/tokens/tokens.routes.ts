import { tokens as contract, type Scope } from '@reelkeep/contract'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import {
  createToken,
  type IssuedToken,
  listTokens,
  requireToken,
  revokeToken,
  rotateToken,
  type Token,
} from './tokens.ts'

/** Called when a token of the organization was revoked or rotated. */
export type OnRevoked = (organizationId: OrganizationId) => void

export function registerTokenRoutes(api: Api, onRevoked: OnRevoked): void {
  route(api, contract.createToken, async ({ db, principal, body }) => {
    const { name, scopes, expires_at: expiresAt = null, folder_uuid: folder } = body
    const input = { name, scopes, expiresAt, folder }
    return toNewToken(await createToken(db, principal, input))
  })

  route(api, contract.listTokens, async ({ db, query, listUrl }) => {
    const page = await listTokens(db, pageRequestOf(query, isUuidKey))
    return toPage(listUrl, page, toWire)
  })

  // A member has no token, so this finds none.
  route(api, contract.readCurrentToken, async ({ db, principal }) => toWire(await requireToken(db, principal.id)))

  route(api, contract.readToken, async ({ db, params }) => toWire(await requireToken(db, params.token_id as TokenId)))

  route(api, contract.rotateToken, async ({ db, principal, params, body, afterCommit }) => {
    const input = { id: params.token_id as TokenId, overlapSeconds: body.overlap_seconds ?? 3600 }
    afterCommit(() => onRevoked(db.organizationId))
    return toNewToken(await rotateToken(db, principal, input))
  })

  route(api, contract.revokeToken, async ({ db, principal, params, query, afterCommit }) => {
    afterCommit(() => onRevoked(db.organizationId))
    const revocation = { id: params.token_id as TokenId, withDescendants: query.descendants ?? false }
    await revokeToken(db, principal, revocation)
  })
}

function toWire(token: Token): contract.Token {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes as Scope[],
    folder_uuid: token.folderUuid,
    created_at: token.createdAt,
    created_by: toCreator(token),
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
  }
}

const toNewToken = (issued: IssuedToken): contract.NewToken => ({
  ...toWire(issued),
  token: issued.text,
})
