import { Type } from 'typebox'
import { failureCatalogue } from './failures.ts'
import {
  bodyOf,
  closed,
  noParams,
  noQuery,
  nullable,
  openSet,
  searchText,
  timestampField,
  titleField,
} from './fields.ts'
import { FolderReference, FolderUuid } from './folders.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

export const AssetId = Type.String({
  format: 'uuid',
  description: 'Identifier of an asset: a UUID.',
  examples: ['019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'],
})

/** Named by the shorter side of the picture. */
export const resolutions = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const
export const Resolution = Type.Enum([...resolutions], { type: 'string' })
export type Resolution = (typeof resolutions)[number]

export const contentProtections = ['drm', 'aes', 'disable'] as const
export const ContentProtection = Type.Enum([...contentProtections], { type: 'string' })
export type ContentProtection = (typeof contentProtections)[number]

export const videoStatuses = [
  'Not Started',
  'Queued',
  'Processing',
  'Completed',
  'Error',
  'Cancelled',
] as const
export type VideoStatus = (typeof videoStatuses)[number]

/** What went wrong with a video or an upload; it stays readable after the request that met it. */
export const Failure = Type.Object(
  {
    code: openSet(Object.keys(failureCatalogue), {
      description: `One of ${Object.keys(failureCatalogue).join(', ')}; later versions may add others.`,
    }),
    detail: Type.String({ description: 'What went wrong and what to do next.' }),
  },
  { title: 'Failure' },
)

export const renditionStatuses = videoStatuses.filter((status) => status !== 'Not Started')

const Rendition = Type.Object(
  {
    name: Resolution,
    status: openSet(renditionStatuses, {
      description:
        'Like the status of the video: "Queued", "Processing", "Completed", "Error" or "Cancelled"; later versions may add others.',
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percent of it that is made.',
    }),
    width: Type.Integer(),
    height: Type.Integer(),
    bitrate: nullable(
      Type.Integer(),
      'Bits a second, on average; null until the rendition is complete.',
    ),
  },
  { title: 'Rendition' },
)
export type Rendition = Type.Static<typeof Rendition>

export const subtitleOrigins = ['uploaded', 'generated', 'carried'] as const

const Track = Type.Object(
  {
    kind: openSet(['subtitles', 'storyboard'], {
      description: '"subtitles" or "storyboard"; later versions may add others.',
    }),
    id: nullable(Type.String(), 'Of subtitles: as in `subtitles/` of the asset.'),
    language: nullable(Type.String(), 'Of subtitles: a BCP 47 tag.'),
    label: nullable(Type.String(), 'Of subtitles: their name for viewers.'),
    origin: nullable(
      openSet(subtitleOrigins),
      'Of subtitles: "uploaded", "carried" over from the file, or "generated" from the sound and so not without mistakes.',
    ),
    url: Type.String({ description: 'Of a WebVTT file.' }),
  },
  { title: 'Track' },
)

const Video = Type.Object(
  {
    status: openSet(videoStatuses, {
      description: `One of ${videoStatuses.map((status) => `"${status}"`).join(', ')}; later versions may add others.`,
      examples: ['Not Started'],
    }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent of the work done.' }),
    duration: nullable(Type.Number(), 'Seconds; null until the file has been looked into.'),
    width: nullable(Type.Integer(), 'As it is shown, after rotation; null like `duration`.'),
    height: nullable(Type.Integer()),
    resolutions: Type.Array(Resolution, { description: 'The renditions that were asked for.' }),
    renditions: Type.Array(Rendition, {
      description:
        'Those that are made or being made, smallest first; why others are not is told by `plan/`.',
    }),
    content_protection_type: ContentProtection,
    generate_subtitle: Type.Boolean(),
    playback_url: nullable(
      Type.String(),
      'HLS; null until the beginning can be played. It grows until all is made. Like every address here it bears a playback token, which lasts for at least six hours: ask again for a fresh one, and give viewers one of their own (`access_tokens/`).',
    ),
    dash_url: nullable(
      Type.String(),
      'MPEG-DASH; null until all renditions are complete, and for `aes`, which is HLS only.',
    ),
    thumbnails: Type.Array(Type.String()),
    cover_thumbnail_url: nullable(Type.String()),
    tracks: Type.Array(Track, { description: 'Subtitles and the storyboard.' }),
    error: nullable(Failure, 'Why the status is "Error"; null otherwise.'),
  },
  { title: 'Video' },
)

export const Asset = Type.Object(
  {
    id: AssetId,
    title: Type.String(),
    bytes: nullable(
      Type.Integer({ minimum: 1 }),
      'Size of the uploaded file; null until the upload is complete.',
    ),
    type: Type.Literal('video'),
    parent_id: nullable(FolderUuid, 'The folder it lies in; null at the root.'),
    video: Video,
    created_at: timestampField,
    updated_at: timestampField,
  },
  { title: 'Asset' },
)
export type Asset = Type.Static<typeof Asset>

const Happening = Type.Object(
  {
    at: timestampField,
    what: Type.String({ description: 'Stable name of what happened, such as `uploaded`.' }),
    detail: Type.String({ description: 'The same in plain words.' }),
  },
  { title: 'Happening' },
)

export const Timeline = Type.Object(
  {
    happened: Type.Array(Happening, {
      description: 'Oldest first: its creation, then the last 999 things after it.',
    }),
    awaited: nullable(
      Type.Object({
        what: Type.String({ description: 'Stable name of what has to happen next.' }),
        detail: Type.String({ description: 'The same in plain words.' }),
        until: nullable(
          timestampField,
          'When the wait ends at the latest; null if it has no end yet.',
        ),
      }),
      'Null when nothing more will happen by itself.',
    ),
  },
  { title: 'Timeline' },
)
export type Timeline = Type.Static<typeof Timeline>

const PlannedRendition = Type.Object(
  {
    name: Resolution,
    decision: openSet(['made', 'left_out', 'undecided'], {
      description:
        '"made", "left_out", or "undecided" until the file has been looked into; later versions may add others.',
    }),
    reason: Type.String({ description: 'Why, in plain words.' }),
    status: nullable(
      openSet(renditionStatuses),
      'As in `video.renditions` of the asset; null if it is not made.',
    ),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    bitrate_max: nullable(Type.Integer(), 'Bits a second that it stays below, where players look.'),
    bitrate: nullable(Type.Integer(), 'Bits a second that it came to; null until it is complete.'),
  },
  { title: 'PlannedRendition' },
)

export const AssetPlan = Type.Object(
  {
    frame_rate: nullable(Type.Number(), 'Pictures a second, in every rendition.'),
    keyframe_interval: nullable(Type.Number(), 'Seconds, the same in every rendition.'),
    segment_duration: nullable(Type.Number(), 'Seconds.'),
    part_count: nullable(
      Type.Integer(),
      'In so many parts it is encoded, by as many workers as are free.',
    ),
    audio: nullable(
      Type.Object({
        bitrate: Type.Integer({ description: 'Bits a second.' }),
        channels: Type.Integer(),
        sample_rate: Type.Integer(),
      }),
      'Null if there is no sound, or not yet known.',
    ),
    renditions: Type.Array(PlannedRendition, {
      description: 'Every one that was asked for, smallest first.',
    }),
  },
  { title: 'AssetPlan' },
)
export type AssetPlan = Type.Static<typeof AssetPlan>

const onAsset = Type.Object({ asset_id: AssetId })
const shared = { tag: 'Assets', idempotent: false } as const

export const listAssets = {
  ...shared,
  id: 'listAssets',
  method: 'GET',
  path: '/assets/',
  summary: 'List assets',
  description:
    'Every asset of the organization, newest first: by the time of creation that is in its identifier. Filters may be combined.',
  scope: 'assets:read',
  params: noParams,
  query: Type.Object(
    {
      folder: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Only assets directly in this folder, or `root` for those at the root.',
        }),
      ),
      recursive: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'With `folder`: also those in the folders beneath it.',
        }),
      ),
      status: Type.Optional(
        Type.Enum([...videoStatuses], {
          type: 'string',
          description: 'Only assets whose video has this status.',
        }),
      ),
      q: searchText('Only assets whose title contains this text, whatever its case and accents.'),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: page(Asset) },
  errors: ['invalid_cursor', 'target_folder_not_found'],
} as const satisfies Operation

export const readAsset = {
  ...shared,
  id: 'readAsset',
  method: 'GET',
  path: '/assets/:asset_id/',
  summary: 'Read an asset',
  description: 'As it is now.',
  scope: 'assets:read',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const renameAsset = {
  ...shared,
  id: 'renameAsset',
  method: 'PATCH',
  path: '/assets/:asset_id/',
  summary: 'Rename an asset',
  description: 'Its identifier, place and video stay as they are.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf({ title: titleField }, { title: 'Lecture 1, second cut' }),
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'invalid_title'],
} as const satisfies Operation

export const moveAsset = {
  ...shared,
  id: 'moveAsset',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/move/',
  summary: 'Move an asset',
  description: 'Into a folder, or to the root with `folder` null.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    { folder: nullable(FolderReference, 'Where to; null for the root.') },
    { folder: null },
  ),
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'target_folder_not_found'],
} as const satisfies Operation

export const deleteAsset = {
  ...shared,
  id: 'deleteAsset',
  method: 'DELETE',
  path: '/assets/:asset_id/',
  summary: 'Delete an asset',
  description:
    'Its upload session goes with it. The answer does not wait for storage: what the asset holds there is freed soon after.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const readAssetTimeline = {
  ...shared,
  id: 'readAssetTimeline',
  method: 'GET',
  path: '/assets/:asset_id/timeline/',
  summary: "Read an asset's timeline",
  description: 'What happened to it and what is awaited, in plain words.',
  scope: 'assets:read',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Timeline },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const readAssetPlan = {
  ...shared,
  id: 'readAssetPlan',
  method: 'GET',
  path: '/assets/:asset_id/plan/',
  summary: "Read an asset's plan",
  description:
    'What is made of the video, and why: decided when the file has been looked into, before anything is encoded, and kept afterwards with what came of it.',
  scope: 'assets:read',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: AssetPlan },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const cancelAsset = {
  ...shared,
  id: 'cancelAsset',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/cancel/',
  summary: "Cancel an asset's processing",
  description:
    'Whatever works on it stops within seconds. What was published before stays, and so does the file: `retry/` goes on with it. Cancelling what is cancelled changes nothing.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'nothing_to_cancel'],
} as const satisfies Operation

export const retryAsset = {
  ...shared,
  id: 'retryAsset',
  method: 'POST',
  path: '/assets/:asset_id/retry/',
  summary: "Retry an asset's processing",
  description:
    'For an asset that failed or was cancelled and whose file is there. Steps that are done are not done again.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'nothing_to_retry'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  listAssets,
  readAsset,
  renameAsset,
  moveAsset,
  deleteAsset,
  cancelAsset,
  retryAsset,
  readAssetTimeline,
  readAssetPlan,
] as const
