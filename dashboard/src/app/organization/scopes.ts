import type { CreateTokenBody } from 'reelkeep'

export type Scope = CreateTokenBody['scopes'][number]

/** Scopes that another scope includes, as in the API. */
const includedBy: Partial<Record<Scope, Scope>> = {
  'folders:create': 'folders:write',
  'uploads:write': 'assets:write',
}

export function mayUse(scopes: readonly string[], scope: Scope): boolean {
  const wider = includedBy[scope]
  return scopes.includes('*') || scopes.includes(scope) || (wider !== undefined && scopes.includes(wider))
}
