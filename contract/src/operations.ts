import * as accessTokens from './access-tokens.ts'
import * as assets from './assets.ts'
import * as chapters from './chapters.ts'
import * as events from './events.ts'
import * as folders from './folders.ts'
import * as signingKeys from './signing-keys.ts'
import * as subtitles from './subtitles.ts'
import * as tokens from './tokens.ts'
import * as uploadSessions from './upload-sessions.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/** All operations, in the order of the reference. */
export const operations = [
  ...uploadSessions.operations,
  ...assets.operations,
  ...chapters.operations,
  ...subtitles.operations,
  ...accessTokens.operations,
  ...signingKeys.operations,
  ...events.operations,
  ...webhooks.operations,
  ...webhookDeliveries.operations,
  ...folders.operations,
  ...tokens.operations,
] as const
