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

export const assetFeatures = everyOf<NonNullable<ListAssetsQuery['has']>[number]>()('subtitles', 'chapters', 'error')

export const assetOrders = everyOf<NonNullable<ListAssetsQuery['order']>>()(
  'created_at',
  '-created_at',
  'title',
  '-title',
  'updated_at',
  '-updated_at',
  'duration',
  '-duration',
  'bytes',
  '-bytes',
)

export const assetStatuses = everyOf<NonNullable<ListAssetsQuery['status']>[number]>()(
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

export type Resolution = NonNullable<CreateUploadSessionBody['resolutions']>[number]

export const resolutions = everyOf<Resolution>()('240p', '360p', '480p', '540p', '720p', '1080p')

export type Scope = CreateTokenBody['scopes'][number]

export const scopes = everyOf<Scope>()(
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
)

export type EventType = NonNullable<CreateWebhookBody['types']>[number]
