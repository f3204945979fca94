import { Type } from 'typebox'
import { AssetId, Failure, renditionStatuses, subtitleOrigins, videoStatuses } from './assets.ts'
import { Chapter } from './chapters.ts'
import { closed, noParams, nullable, openSet, timestampField } from './fields.ts'
import { FolderUuid } from './folders.ts'
import type { Operation } from './operation.ts'
import { sessionStatuses } from './upload-sessions.ts'

/** A receiver that was away catches up in few requests; more would make an answer of many megabytes. */
const EVENTS_PER_ANSWER_MAX = 1000
const EVENTS_PER_ANSWER_DEFAULT = 100

const onUploadSession = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    asset_id: AssetId,
    status: openSet(sessionStatuses),
    error: nullable(Failure),
  },
  { title: 'UploadSessionEventData' },
)

const onAsset = Type.Object(
  {
    id: AssetId,
    title: Type.String(),
    parent_id: nullable(FolderUuid, 'The folder it lies in; null at the root.'),
    status: openSet(videoStatuses, { description: 'As `video.status` of the asset.' }),
    duration: nullable(Type.Number()),
    error: nullable(Failure),
  },
  { title: 'AssetEventData' },
)

const onRendition = Type.Object(
  { asset_id: AssetId, name: Type.String(), status: openSet(renditionStatuses) },
  { title: 'RenditionEventData' },
)

const onChapters = Type.Object(
  {
    asset_id: AssetId,
    chapters: Type.Array(Chapter, { description: 'All that this change touched.' }),
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
  },
  { title: 'SubtitleEventData' },
)

const onFolder = Type.Object(
  { uuid: FolderUuid, title: Type.String(), parent: nullable(FolderUuid) },
  { title: 'FolderEventData' },
)

const onToken = Type.Object(
  { id: Type.String({ format: 'uuid' }), name: Type.String() },
  { title: 'TokenEventData' },
)

// Without its address, which may hold a secret.
const onWebhook = Type.Object(
  { id: Type.String({ format: 'uuid' }) },
  { title: 'WebhookEventData' },
)

/** Every kind of event there is, with what it tells. Within a version of the API kinds and fields are only added. */
export const eventData = {
  'upload_session.created': onUploadSession,
  'upload_session.completed': onUploadSession,
  'upload_session.expired': onUploadSession,
  'upload_session.cancelled': onUploadSession,
  'upload_session.failed': onUploadSession,
  'asset.created': onAsset,
  'asset.queued': onAsset,
  'asset.processing': onAsset,
  'asset.playable': onAsset,
  'asset.completed': onAsset,
  'asset.failed': onAsset,
  'asset.cancelled': onAsset,
  'asset.updated': onAsset,
  'asset.deleted': onAsset,
  'rendition.completed': onRendition,
  'rendition.failed': onRendition,
  'chapter.created': onChapters,
  'chapter.updated': onChapters,
  'chapter.deleted': onChapters,
  'subtitle.created': onSubtitle,
  'subtitle.deleted': onSubtitle,
  'folder.created': onFolder,
  'folder.updated': onFolder,
  'folder.deleted': onFolder,
  'token.created': onToken,
  'token.rotated': onToken,
  'token.revoked': onToken,
  'webhook.disabled': onWebhook,
  'webhook.test': onWebhook,
} as const

export type EventType = keyof typeof eventData
export const eventTypes = Object.keys(eventData) as EventType[]

export type EventData = { [Kind in EventType]: Type.Static<(typeof eventData)[Kind]> }

/** One kind with its data, of all there are. */
export type Told = { [Kind in EventType]: { type: Kind; data: EventData[Kind] } }[EventType]

export const Event = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The same wherever and however often the event arrives: deduplicate by it.',
    }),
    number: Type.Integer({
      minimum: 1,
      description:
        'Its place in the log of the organization. Numbers have no gaps, and whoever has seen one has seen all below it.',
    }),
    type: openSet(eventTypes, {
      description: `One of ${eventTypes.map((type) => `\`${type}\``).join(', ')}; later versions may add others.`,
      examples: ['asset.completed'],
    }),
    asset_id: nullable(AssetId, 'The asset it is about; null of what is about none.'),
    created_at: timestampField,
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'As it was at that moment; its fields depend on the `type`.',
      },
    ),
  },
  { title: 'Event' },
)
export type Event = Type.Static<typeof Event>

/** Kinds with commas between; `asset.*` stands for all that begin so. One that does not exist would wait for ever. */
export const areEventTypes = (text: string): boolean =>
  text
    .split(',')
    .every((wanted) => [...eventTypes, PROGRESS_TYPE].some((type) => fits(type, wanted)))

const fits = (type: string, wanted: string) =>
  type === wanted || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)))

/** What of the log somebody wants to see. */
export const eventFilter = {
  types: Type.Optional(
    Type.String({
      maxLength: 1000,
      format: 'list of event types',
      description:
        'Only these kinds, with commas between; `asset.*` stands for all that begin so. Absent: all.',
      examples: ['asset.completed,asset.failed'],
    }),
  ),
  asset_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only what is about this asset.' }),
  ),
}

export const afterField = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'The number of the last event that you have seen. Absent: from the oldest that is kept.',
})

const shared = { tag: 'Events', idempotent: false } as const

export const listEvents = {
  ...shared,
  id: 'listEvents',
  method: 'GET',
  path: '/events/',
  summary: 'Read the log of events',
  description:
    'Everything that happened, in order, as long as it is kept (30 days unless the operator says otherwise). Whoever goes on from `after` misses nothing, whatever was written at the same time.',
  scope: 'events:read',
  params: noParams,
  query: Type.Object(
    {
      after: Type.Optional(afterField),
      ...eventFilter,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: EVENTS_PER_ANSWER_MAX,
          default: EVENTS_PER_ANSWER_DEFAULT,
          description:
            'Events an answer, at most; of large ones there are fewer. `has_more` says whether to go on.',
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
          description:
            'Where to go on, also past events that `types` leaves out: pass it as `after`.',
        }),
        has_more: Type.Boolean({ description: 'Whether more is there already.' }),
        next: Type.String({ description: 'The address to go on with, now or later.' }),
        results: Type.Array(Event),
      },
      { title: 'Events' },
    ),
  },
  errors: ['events_expired'],
} as const satisfies Operation

/** How far an asset has come, at the moment. It is told on the stream and not kept. */
export const Progress = Type.Object(
  {
    id: AssetId,
    status: openSet(videoStatuses, { description: 'As `video.status` of the asset.' }),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    renditions: Type.Array(
      Type.Object({ name: Type.String(), progress: Type.Integer({ minimum: 0, maximum: 100 }) }),
    ),
  },
  { title: 'AssetProgress' },
)
export type Progress = Type.Static<typeof Progress>

export const PROGRESS_TYPE = 'asset.progress'

const streamText = Type.String({
  description: [
    'Server-Sent Events. `event` is the type, `id` the number and `data` the event as the log answers it, in one line.',
    `While a video is processed, \`${PROGRESS_TYPE}\` tells how far it is, at most once a second: \`data\` is then \`{type, asset_id, data: {id, status, progress, renditions: [{name, progress}]}}\`. It has no \`id\` and is in no log: the next one makes up for one that was missed.`,
    'A comment comes at least every 15 s, also while nothing happens. An `id` without `data` says how far the stream has come past what was left out.',
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
  summary: 'Follow the events live',
  description:
    'The log as Server-Sent Events, from the number given on and then as things happen, without gaps and in order. A stream ends after an hour, when its token does, or when the instance that serves it stops: connect again with the last `id` as `Last-Event-ID`, as every client of Server-Sent Events does by itself. Nothing is missed and nothing comes twice.',
  scope: 'events:read',
  params: noParams,
  query: Type.Object(
    {
      after: Type.Optional({
        ...afterField,
        description: 'The number of the last event that you have seen. Absent: from now on.',
      }),
      ...eventFilter,
    },
    closed,
  ),
  headers: Type.Object({
    'Last-Event-ID': Type.Optional({
      ...afterField,
      description: 'The last `id` that you have seen; it counts more than `after`.',
    }),
  }),
  body: undefined,
  success: { status: 200, body: streamText, mediaTypes: ['text/event-stream'], isStream: true },
  errors: ['events_expired', 'too_many_streams'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [listEvents, streamEvents] as const

export { EVENTS_PER_ANSWER_DEFAULT }
