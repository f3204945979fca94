/** What a token may do. `*` stands for everything, now and in later versions. */
export const scopes = [
  '*',
  'assets:read',
  'assets:write',
  'events:read',
  'folders:read',
  'folders:write',
  'playback:read',
  'playback:write',
  'tokens:read',
  'tokens:write',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof scopes)[number]
