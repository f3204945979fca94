/** What a token may do. `*` stands for everything, now and in later versions. */
export const scopes = [
  '*',
  'assets:read',
  'assets:write',
  'folders:read',
  'folders:write',
  'playback:read',
  'playback:write',
  'tokens:read',
  'tokens:write',
] as const

export type Scope = (typeof scopes)[number]
