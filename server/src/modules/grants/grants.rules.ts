import { includesScope, type Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'

/** Throws unless the grantor has all these scopes. `field` is the field of the request that asks for them. */
export function assertMayGrant(own: readonly Scope[], requested: readonly Scope[], field = 'scopes'): void {
  const missing = missingScopes(own, requested)
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `This token lacks ${missing.join(', ')}. A token can only grant scopes that it has: use one with these scopes.`,
    field,
  )
}

/** Throws unless a token with the scopes `own` could have granted the scopes of the token to revoke. */
export function assertMayRevoke(own: readonly Scope[], revoked: readonly Scope[]): void {
  const missing = missingScopes(own, revoked)
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `This token lacks ${missing.join(', ')}. A token can only revoke tokens whose scopes it has.`,
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
