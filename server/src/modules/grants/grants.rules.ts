import { includesScope, type Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'

/** Throws unless the grantor has all these scopes. `field` is the field of the request that asks for them. */
export function assertMayGrant(own: readonly Scope[], requested: readonly Scope[], field = 'scopes'): void {
  const missing = missingScopes(own, requested)
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `You lack ${missing.join(', ')}. You can grant only scopes that you have: use a token or member that has them.`,
    field,
  )
}

/** Throws unless a token with the scopes `own` could have granted the scopes of the token to revoke. */
export function assertMayRevoke(own: readonly Scope[], revoked: readonly Scope[]): void {
  const missing = missingScopes(own, revoked)
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `You lack ${missing.join(', ')}. You can revoke or remove only tokens, members and invitations whose scopes you have.`,
  )
}

/** Whether a grantor with these rights can give these scopes to a member. */
export const mayGrant = (
  {
    scopes,
    folderUuid,
    ownOnly,
  }: { readonly scopes: readonly Scope[]; readonly folderUuid: string | null; readonly ownOnly: boolean },
  requested: readonly Scope[],
): boolean => folderUuid === null && !ownOnly && missingScopes(scopes, requested).length === 0

const missingScopes = (own: readonly Scope[], others: readonly Scope[]) =>
  others.filter((scope) => !includesScope(own, scope))
