import * as accessTokens from './access/access-tokens.ts'
import * as audit from './access/audit.ts'
import * as signingKeys from './access/signing-keys.ts'
import * as tokens from './access/tokens.ts'
import * as bulkOperations from './bulk/bulk-operations.ts'
import * as events from './events/events.ts'
import * as webhookDeliveries from './events/webhook-deliveries.ts'
import * as webhooks from './events/webhooks.ts'
import * as assetLists from './library/asset-lists.ts'
import * as assets from './library/assets.ts'
import * as folders from './library/folders.ts'
import * as organization from './library/organization.ts'
import * as search from './library/search.ts'
import * as trash from './library/trash.ts'
import * as usage from './library/usage.ts'
import * as clips from './media/clips.ts'
import * as covers from './media/covers.ts'
import * as downloads from './media/downloads.ts'
import * as frames from './media/frames.ts'
import * as invitations from './people/invitations.ts'
import * as members from './people/members.ts'
import * as roles from './people/roles.ts'
import * as chapters from './tracks/chapters.ts'
import * as subtitles from './tracks/subtitles.ts'
import * as uploadSessions from './uploads/upload-sessions.ts'
import * as versions from './uploads/versions.ts'

/** All operations, in the order of the reference. */
export const operations = [
  ...uploadSessions.operations,
  ...assetLists.operations,
  ...assets.operations,
  ...search.operations,
  ...frames.operations,
  ...downloads.operations,
  ...covers.operations,
  ...clips.operations,
  ...chapters.operations,
  ...subtitles.operations,
  ...accessTokens.operations,
  ...signingKeys.operations,
  ...events.operations,
  ...webhooks.operations,
  ...webhookDeliveries.operations,
  ...folders.operations,
  ...trash.operations,
  ...bulkOperations.operations,
  ...versions.operations,
  ...tokens.operations,
  ...members.operations,
  ...invitations.operations,
  ...roles.operations,
  ...audit.operations,
  ...organization.operations,
  ...usage.operations,
] as const
