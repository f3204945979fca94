/**
 * Limits of new credentials: a token, signing key, webhook or access token never exceeds the scopes and the expiry of
 * the token or member that creates it.
 */
import type { Creator, Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { asExpiry, earlierExpiry } from './expiry.rules.ts'
import { assertMayGrant, assertMayRevoke } from './grants.rules.ts'
import { type CreatorRow, creator, creatorColumns, isLive, lockLivePrincipal } from './grants.store.ts'

export type { CreatorRow }
export { asExpiry, assertMayGrant, assertMayRevoke, creator, creatorColumns, earlierExpiry, isLive }

/** The token or member that grants, or an admin command, which may grant everything. */
export type Grantor = { readonly id: PrincipalId } | 'system'

/** The limits of a grantor. */
export type Grant = {
  readonly createdBy: PrincipalId | null
  readonly scopes: readonly Scope[]
  /** Null if it does not expire. */
  readonly expiresAt: Timestamp | null
}

/**
 * Reads the limits of the grantor and locks its row until the end of the transaction. A revocation on any instance
 * therefore happens either before, and then this throws, or after the created credential is stored.
 */
export async function lockGrant(tx: OrganizationDb, grantor: Grantor): Promise<Grant> {
  if (grantor === 'system') return { createdBy: null, scopes: ['*'], expiresAt: null }
  const granted = await lockLivePrincipal(tx, grantor.id)
  if (!granted) throw refused('unauthenticated', 'The token was revoked or has expired. Use another token.')
  return { ...granted, createdBy: grantor.id }
}

/** The creator of a row, as the API returns it. */
export function toCreator({ createdBy, creator }: CreatorRow): Creator {
  if (createdBy === null) return { kind: 'system', id: null, name: null }
  const [kind = 'token', name = null] = creator ?? []
  return { kind, id: createdBy, name }
}
