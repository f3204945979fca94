/**
 * Limits of new credentials: a token, signing key, webhook or access token never exceeds the scopes and the expiry of
 * the API token that creates it.
 */
import type { Creator, Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { asExpiry, earlierExpiry } from './expiry.rules.ts'
import { assertMayGrant, assertMayRevoke } from './grants.rules.ts'
import { type CreatorRow, creatorColumns, creatorName, isLive, lockLiveToken } from './grants.store.ts'

export type { CreatorRow }
export { asExpiry, assertMayGrant, assertMayRevoke, creatorColumns, creatorName, earlierExpiry, isLive }

/** The API token that grants, or an admin command, which may grant everything. */
export type Grantor = { readonly tokenId: TokenId } | 'system'

/** The limits of a grantor. */
export type Grant = {
  readonly createdBy: TokenId | null
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
  const token = await lockLiveToken(tx, grantor.tokenId)
  if (!token) throw refused('unauthenticated', 'The token was revoked or has expired. Use another token.')
  return { ...token, createdBy: grantor.tokenId }
}

/** The creator of a row, as the API returns it. */
export const toCreator = ({ createdBy, creatorName }: CreatorRow): Creator =>
  createdBy === null ? { kind: 'system', id: null, name: null } : { kind: 'token', id: createdBy, name: creatorName }
