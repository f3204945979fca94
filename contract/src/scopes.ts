/** Permissions of a token or a member. `*` grants everything, including scopes of later versions. */
export const scopes = [
  '*',
  'assets:read',
  'assets:write',
  'audit:read',
  'events:read',
  'folders:create',
  'folders:read',
  'folders:write',
  'holds:write',
  'keys:write',
  'members:read',
  'members:write',
  'organization:read',
  'organization:write',
  'playback:read',
  'playback:write',
  'source:read',
  'tokens:read',
  'tokens:write',
  'uploads:write',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof scopes)[number]

/** Scopes that another scope includes. */
const includedBy: Partial<Record<Scope, Scope>> = {
  'folders:create': 'folders:write',
  'uploads:write': 'assets:write',
}

/** Whether these scopes permit what `scope` permits. */
export function includesScope(scopes: readonly Scope[], scope: Scope): boolean {
  const wider = includedBy[scope]
  return scopes.includes(scope) || scopes.includes('*') || (wider !== undefined && scopes.includes(wider))
}
