/** Permissions of a token. `*` grants everything, including scopes of later versions. */
export const scopes = [
  '*',
  'assets:read',
  'assets:write',
  'events:read',
  'folders:read',
  'folders:write',
  'holds:write',
  'organization:read',
  'organization:write',
  'playback:read',
  'playback:write',
  'source:read',
  'tokens:read',
  'tokens:write',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof scopes)[number]
