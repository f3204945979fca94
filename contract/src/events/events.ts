import { Type } from 'typebox'
import { AuditHead } from '../access/audit.ts'
import { closed, Metadata, noParams, nullable, openSet, timestampField } from '../fields.ts'
import { AssetId, Failure, renditionStatuses, subtitleOrigins, videoStatuses } from '../library/assets.ts'
import { FolderUuid } from '../library/folders.ts'
import { Organization } from '../library/organization.ts'
import type { Operation } from '../operation.ts'
import { Chapter } from '../tracks/chapters.ts'
import { SessionUuid, sessionStatuses } from '../uploads/upload-sessions.ts'

/** Maximum number of events per page: limits the size of a response, but lets a consumer catch up with few requests. */
const EVENTS_PER_PAGE_MAX = 1000
const EVENTS_PER_PAGE_DEFAULT = 100

/** The fields that the client has set on the asset or folder of an event. */
const ownFields = {
  external_id: nullable(Type.String(), 'Your own identifier of the asset or folder; null if it has none.'),
  metadata: Metadata,
}

const onUploadSession = Type.Object(
  {
    uuid: SessionUuid,
    asset_id: AssetId,
    status: openSet(sessionStatuses),
    error: nullable(Failure),
    ...ownFields,
  },
  { title: 'UploadSessionEventData' },
)

const onAsset = Type.Object(
  {
    id: AssetId,
    title: Type.String(),
    parent_id: nullable(FolderUuid, 'The folder that contains the asset; null at the root.'),
    status: openSet(videoStatuses, { description: 'Same as `video.status` of the asset.' }),
    duration: nullable(Type.Number()),
    error: nullable(Failure),
    purge_at: nullable(timestampField, 'When an asset in the trash is purged; null otherwise.'),
    ...ownFields,
  },
  { title: 'AssetEventData' },
)

const onVersion = Type.Object(
  {
    asset_id: AssetId,
    number: Type.Integer({ description: 'Number of the version.' }),
    status: openSet(videoStatuses, { description: 'Status of the version.' }),
    error: nullable(Failure),
    ...ownFields,
  },
  { title: 'VersionEventData' },
)

const onRendition = Type.Object(
  { asset_id: AssetId, name: Type.String(), status: openSet(renditionStatuses), ...ownFields },
  { title: 'RenditionEventData' },
)

const onChapters = Type.Object(
  {
    asset_id: AssetId,
    chapters: Type.Array(Chapter, { description: 'All chapters affected by the change.' }),
    ...ownFields,
  },
  { title: 'ChapterEventData' },
)

const onSubtitle = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    asset_id: AssetId,
    language: Type.String(),
    label: Type.String(),
    origin: openSet(subtitleOrigins),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Only of `subtitle.updated`: the number of the version that viewers see.',
      }),
    ),
    ...ownFields,
  },
  { title: 'SubtitleEventData' },
)

const onFolder = Type.Object(
  {
    uuid: FolderUuid,
    title: Type.String(),
    parent: nullable(FolderUuid),
    purge_at: nullable(timestampField, 'When a folder in the trash is purged; null otherwise.'),
    ...ownFields,
  },
  { title: 'FolderEventData' },
)

const onQuota = Type.Object(
  {
    name: openSet(['stored_bytes', 'assets', 'encoded_minutes', 'open_sessions']),
    limit: Type.Number(),
    used: Type.Number({ description: 'Of `stored_bytes`, without the bytes that open upload sessions reserve.' }),
  },
  { title: 'QuotaEventData' },
)

const onToken = Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }, { title: 'TokenEventData' })

// Events about people omit email addresses, because every role that may read events reads them.
const onMember = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    role: Type.String({ description: 'Id of the role.' }),
  },
  { title: 'MemberEventData' },
)

const onInvitation = Type.Object(
  { id: Type.String({ format: 'uuid' }), role: Type.String({ description: 'Id of the role.' }) },
  { title: 'InvitationEventData' },
)

const onRole = Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }, { title: 'RoleEventData' })

// Events about a webhook omit its URL, because the URL may contain a secret.
const onWebhook = Type.Object({ id: Type.String({ format: 'uuid' }) }, { title: 'WebhookEventData' })

/** Every event type with its meaning and data. Types and fields are only ever added within an API version. */
export const eventCatalogue = {
  'upload_session.created': {
    meaning: 'An upload session and its asset were created.',
    data: onUploadSession,
  },
  'upload_session.completed': {
    meaning: 'The file was uploaded completely.',
    data: onUploadSession,
  },
  'upload_session.expired': {
    meaning: 'The session expired before the upload was complete.',
    data: onUploadSession,
  },
  'upload_session.cancelled': {
    meaning: 'The session was cancelled.',
    data: onUploadSession,
  },
  'upload_session.failed': {
    meaning: 'The uploaded file was rejected; `error` states why.',
    data: onUploadSession,
  },
  'asset.created': {
    meaning: 'An asset was created together with its upload session.',
    data: onAsset,
  },
  'asset.queued': {
    meaning: 'The file is waiting for a worker, after its upload or a retry.',
    data: onAsset,
  },
  'asset.processing': {
    meaning: 'A worker started processing the file.',
    data: onAsset,
  },
  'asset.playable': {
    meaning: 'Playback is possible while the rest is still being encoded.',
    data: onAsset,
  },
  'asset.completed': {
    meaning: 'Processing is complete.',
    data: onAsset,
  },
  'asset.failed': {
    meaning: 'Processing failed; `error` states why.',
    data: onAsset,
  },
  'asset.cancelled': {
    meaning: 'Processing was cancelled, or the upload expired or was cancelled; `error` states which.',
    data: onAsset,
  },
  'asset.updated': {
    meaning: 'A field of the asset was changed, or the asset was moved.',
    data: onAsset,
  },
  'asset.deleted': {
    meaning:
      'The asset was deleted, alone or with its folder. It is in the trash until `purge_at`; if that is null, it was purged at once. `data` is its last state.',
    data: onAsset,
  },
  'asset.restored': {
    meaning: 'The asset was restored from the trash, alone or with its folder.',
    data: onAsset,
  },
  'asset.purged': {
    meaning: 'The asset was removed from the trash and can no longer be restored. `data` is its last state.',
    data: onAsset,
  },
  'version.created': {
    meaning: 'An upload session for a new version of an asset was created.',
    data: onVersion,
  },
  'version.completed': {
    meaning: 'A new version was processed completely. It becomes active unless a newer one is.',
    data: onVersion,
  },
  'version.failed': {
    meaning:
      'A new version failed, or its upload expired or was cancelled; `error` states why. The asset is unchanged.',
    data: onVersion,
  },
  'version.activated': {
    meaning: 'The asset plays another version: a new one, or an older one again.',
    data: onVersion,
  },
  'version.deleted': {
    meaning: 'A version was deleted because newer ones are kept, or because its upload never completed.',
    data: onVersion,
  },
  'rendition.completed': {
    meaning: 'A rendition was encoded completely.',
    data: onRendition,
  },
  'rendition.failed': {
    meaning: 'Encoding a rendition failed.',
    data: onRendition,
  },
  'chapter.created': {
    meaning: 'Chapters were added through the API or imported from the source file.',
    data: onChapters,
  },
  'chapter.updated': {
    meaning: 'Chapters were changed.',
    data: onChapters,
  },
  'chapter.deleted': {
    meaning: 'Chapters were deleted. `data` is their last state.',
    data: onChapters,
  },
  'subtitle.created': {
    meaning: 'A subtitle track was uploaded, generated or extracted from the source file.',
    data: onSubtitle,
  },
  'subtitle.updated': {
    meaning: 'The text of a subtitle track was replaced, or another version of it activated.',
    data: onSubtitle,
  },
  'subtitle.deleted': {
    meaning: 'A subtitle track was deleted.',
    data: onSubtitle,
  },
  'folder.created': {
    meaning: 'A folder was created.',
    data: onFolder,
  },
  'folder.updated': {
    meaning: 'A field of the folder was changed, or the folder was moved.',
    data: onFolder,
  },
  'folder.deleted': {
    meaning:
      'A folder was deleted, alone or with a parent folder. It is in the trash until `purge_at`; if that is null, it was purged at once.',
    data: onFolder,
  },
  'folder.restored': {
    meaning: 'A folder was restored from the trash, alone or with a parent folder.',
    data: onFolder,
  },
  'folder.purged': {
    meaning: 'A folder was removed from the trash and can no longer be restored.',
    data: onFolder,
  },
  'token.created': {
    meaning: 'An API token was created.',
    data: onToken,
  },
  'token.rotated': {
    meaning:
      'An API token was rotated. It stays valid for the overlap period; its replacement is reported as `token.created`.',
    data: onToken,
  },
  'token.revoked': {
    meaning: 'An API token was revoked.',
    data: onToken,
  },
  'member.invited': {
    meaning: 'A person was invited. `id` is the id of the invitation.',
    data: onInvitation,
  },
  'member.joined': {
    meaning: 'A person became a member.',
    data: onMember,
  },
  'member.changed': {
    meaning: 'The role or the folder of a member was changed.',
    data: onMember,
  },
  'member.removed': {
    meaning: 'A member was removed.',
    data: onMember,
  },
  'role.created': {
    meaning: 'A custom role was created.',
    data: onRole,
  },
  'role.updated': {
    meaning: 'A custom role was changed; new scopes apply to all members with the role.',
    data: onRole,
  },
  'role.deleted': {
    meaning: 'A custom role was deleted.',
    data: onRole,
  },
  'audit.head_published': {
    meaning: 'The number and hash of the last entry of the audit log, once a day. Keep them to verify exports later.',
    data: AuditHead,
  },
  'organization.updated': {
    meaning: 'A setting of the organization was changed.',
    data: Organization,
  },
  'quota.warning': {
    meaning: 'At least 80 % of a quota is in use. Recorded again only after the use has fallen below.',
    data: onQuota,
  },
  'quota.exhausted': {
    meaning: 'A quota is used up. Recorded again only after the use has fallen below.',
    data: onQuota,
  },
  'webhook.disabled': {
    meaning: 'A webhook was disabled because its deliveries failed for too long or its endpoint returned 410.',
    data: onWebhook,
  },
  'webhook.test': {
    meaning: 'A test was requested. Only the tested webhook receives this event.',
    data: onWebhook,
  },
} as const

export type EventType = keyof typeof eventCatalogue
export const eventTypes = Object.keys(eventCatalogue) as EventType[]

export type EventData = {
  [Kind in EventType]: Type.Static<(typeof eventCatalogue)[Kind]['data']>
}

/** An event type with the data to record. Events about a part of an asset get the client's fields of the asset. */
export type EventPayload = { [Kind in EventType]: { type: Kind; data: RecordedData<Kind> } }[EventType]
type RecordedData<Kind extends EventType> = Kind extends `${'asset' | 'folder'}.${string}`
  ? EventData[Kind]
  : Omit<EventData[Kind], keyof typeof ownFields>

export const Event = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Unique identifier of the event. Use it to deduplicate repeated deliveries.',
    }),
    number: Type.Integer({
      minimum: 1,
      description:
        'Position in the event log of the organization. Numbers become visible in order and have no gaps. Only after the database was restored or failed over, the log continues with a much higher number.',
    }),
    type: openSet(eventTypes, {
      description: `One of ${eventTypes.map((type) => `\`${type}\``).join(', ')}; later versions may add others.`,
      examples: ['asset.completed'],
    }),
    asset_id: nullable(AssetId, 'The related asset; null if there is none.'),
    created_at: timestampField,
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'State of the resource at the time of the event. The fields depend on `type`.',
      },
    ),
  },
  { title: 'Event' },
)
export type Event = Type.Static<typeof Event>

/** Whether the text is a comma-separated list of known event types or wildcards such as `asset.*`. */
export const areEventTypes = (text: string): boolean =>
  text.split(',').every((wanted) => [...eventTypes, PROGRESS_TYPE].some((type) => matchesType(type, wanted)))

const matchesType = (type: string, wanted: string) =>
  type === wanted || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)))

/** Query parameters that filter events. */
export const eventFilter = {
  types: Type.Optional(
    Type.String({
      maxLength: 1000,
      format: 'list of event types',
      description:
        'Comma-separated event types to return; `asset.*` matches all types with that prefix. Default: all types.',
      examples: ['asset.completed,asset.failed'],
    }),
  ),
  asset_id: Type.Optional(Type.String({ format: 'uuid', description: 'Return only events of this asset.' })),
}

export const afterField = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Number of the last event you received. Default: start with the oldest retained event.',
})

const shared = { tag: 'Events', idempotent: false } as const

export const listEvents = {
  ...shared,
  id: 'listEvents',
  method: 'GET',
  path: '/events/',
  summary: 'List events',
  description:
    'Returns the event log in order. Events are retained for 30 days by default. Continuing from `after` never skips an event, even when events are written concurrently. The response has no `count` and no `previous`, because the log is read forward and has no end: `next` also returns later events.',
  scopes: ['events:read'],
  params: noParams,
  query: Type.Object(
    {
      after: Type.Optional(afterField),
      last: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: EVENTS_PER_PAGE_MAX,
          description: 'Start this many events before the end of the log. Not used if `after` is given.',
        }),
      ),
      ...eventFilter,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: EVENTS_PER_PAGE_MAX,
          default: EVENTS_PER_PAGE_DEFAULT,
          description:
            'Maximum number of events per response; fewer are returned if events are large. Check `has_more`.',
        }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        after: Type.Integer({
          description: 'Value of `after` for the next request. It also covers events excluded by the filter.',
        }),
        has_more: Type.Boolean({ description: 'True if more events are available now.' }),
        next: Type.String({ description: 'URL of the next request, now or later.' }),
        results: Type.Array(Event),
      },
      { title: 'Events' },
    ),
  },
  errors: ['events_expired'],
} as const satisfies Operation

/** Processing progress of an asset. Sent on the stream only, not stored. */
export const Progress = Type.Object(
  {
    id: AssetId,
    status: openSet(videoStatuses, { description: 'Same as `video.status` of the asset.' }),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    renditions: Type.Array(Type.Object({ name: Type.String(), progress: Type.Integer({ minimum: 0, maximum: 100 }) })),
  },
  { title: 'AssetProgress' },
)
export type Progress = Type.Static<typeof Progress>

export const PROGRESS_TYPE = 'asset.progress'

const streamText = Type.String({
  description: [
    'Server-sent events: `event` is the type, `id` the number, and `data` the event as JSON in one line, as in the event log.',
    `While a video is processed, \`${PROGRESS_TYPE}\` reports its progress at most once per second with \`data\` of the form \`{type, asset_id, data: {id, status, progress, renditions: [{name, progress}]}}\`. These messages have no \`id\` and are not in the event log.`,
    'A comment is sent at least every 15 seconds to keep the connection alive. An `id` without `data` marks the position after events excluded by the filter.',
  ].join('\n\n'),
  examples: [
    'retry: 2000\nid: 41\n\nid: 42\nevent: folder.created\ndata: {"id":"019a…","number":42,"type":"folder.created",…}\n\n',
  ],
})

export const streamEvents = {
  ...shared,
  id: 'streamEvents',
  method: 'GET',
  path: '/events/stream/',
  summary: 'Stream events',
  description:
    'Streams the event log as server-sent events, in order and without gaps: first the events after the given number, then new events as they occur. A stream ends after one hour, when its token expires, or when the instance shuts down. Reconnect with the last `id` as `Last-Event-ID`, which standard clients do automatically; no event is lost or repeated.',
  scopes: ['events:read'],
  params: noParams,
  query: Type.Object(
    {
      after: Type.Optional({
        ...afterField,
        description: 'Number of the last event you received. Default: new events only.',
      }),
      ...eventFilter,
    },
    closed,
  ),
  headers: Type.Object({
    'Last-Event-ID': Type.Optional({
      ...afterField,
      description: 'The last `id` you received; takes precedence over `after`.',
    }),
  }),
  body: undefined,
  success: { status: 200, body: streamText, mediaTypes: ['text/event-stream'], isStream: true },
  errors: ['events_expired', 'too_many_streams'],
} as const satisfies Operation

export const operations = [listEvents, streamEvents] as const

export { EVENTS_PER_PAGE_DEFAULT }
