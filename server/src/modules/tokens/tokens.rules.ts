import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { FolderUuid, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** Maximum number of live tokens. It keeps a runaway script from filling the table. */
export const LIVE_TOKENS_PER_ORGANIZATION_MAX = 1000

/**
 * The operations that an upload token may use, on its own session only. The API token that creates it must have these
 * scopes.
 */
export const UPLOAD_TOKEN_SCOPES: readonly Scope[] = ['assets:read', 'uploads:write']

export type Token = {
  readonly id: TokenId
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  readonly revokedAt: Timestamp | null
  readonly lastUsedAt: Timestamp | null
  /** The token sees and changes only this folder and everything below it; null for everything. */
  readonly folderUuid: FolderUuid | null
} & CreatorRow

export function assertRoomForToken(liveTokens: number): void {
  if (liveTokens < LIVE_TOKENS_PER_ORGANIZATION_MAX) return
  throw refused(
    'token_limit_reached',
    `An organization can have at most ${LIVE_TOKENS_PER_ORGANIZATION_MAX} live tokens. Revoke one first.`,
  )
}

export function assertRotatable({ isLive }: { readonly isLive: boolean }): void {
  if (isLive) return
  throw refused('token_not_live', 'The token is revoked or expired. Create a new token instead.')
}
