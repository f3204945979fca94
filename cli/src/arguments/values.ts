import type {
  CreateTokenBody,
  CreateUploadSessionBody,
  CreateWebhookBody,
  ImportChaptersBody,
  ListAssetsQuery,
  ListDeliveriesQuery,
  ListUploadSessionsQuery,
} from 'reelkeep'

/** Lists all values of a type, for help and completion. Does not compile if a value is missing or unknown. */
const everyOf =
  <Value extends string>() =>
  <const Values extends readonly Value[]>(
    ...values: [Value] extends [Values[number]] ? Values : never
  ): readonly Value[] =>
    values

export const assetStatuses = everyOf<NonNullable<ListAssetsQuery['status']>>()(
  'Not Started',
  'Queued',
  'Processing',
  'Completed',
  'Error',
  'Cancelled',
)

export const sessionStatuses = everyOf<NonNullable<ListUploadSessionsQuery['status']>>()(
  'Created',
  'Uploading',
  'Completed',
  'Expired',
  'Cancelled',
  'Failed',
)

export type ChapterFormat = ImportChaptersBody['format']

export const chapterFormats = everyOf<ChapterFormat>()('webvtt', 'lines', 'podcasting', 'ffmetadata')

export const deliveryStates = everyOf<NonNullable<ListDeliveriesQuery['state']>>()('waiting', 'delivered', 'failed')

export type Resolution = CreateUploadSessionBody['resolutions'][number]

export const resolutions = everyOf<Resolution>()('240p', '360p', '480p', '540p', '720p', '1080p')

export type Scope = CreateTokenBody['scopes'][number]

export const scopes = everyOf<Scope>()(
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
)

export type EventType = NonNullable<CreateWebhookBody['types']>[number]

export const eventTypes = everyOf<EventType>()(
  'upload_session.*',
  'upload_session.created',
  'upload_session.completed',
  'upload_session.expired',
  'upload_session.cancelled',
  'upload_session.failed',
  'asset.*',
  'asset.created',
  'asset.queued',
  'asset.processing',
  'asset.playable',
  'asset.completed',
  'asset.failed',
  'asset.cancelled',
  'asset.updated',
  'asset.deleted',
  'rendition.*',
  'rendition.completed',
  'rendition.failed',
  'chapter.*',
  'chapter.created',
  'chapter.updated',
  'chapter.deleted',
  'subtitle.*',
  'subtitle.created',
  'subtitle.deleted',
  'folder.*',
  'folder.created',
  'folder.updated',
  'folder.deleted',
  'token.*',
  'token.created',
  'token.rotated',
  'token.revoked',
  'webhook.*',
  'webhook.disabled',
  'webhook.test',
)
