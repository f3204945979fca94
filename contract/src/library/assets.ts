import { Type } from 'typebox'
import { failureCatalogue } from '../failures.ts'
import {
  bodyOf,
  Creator,
  changesOf,
  closed,
  descriptionField,
  externalIdField,
  ifMatch,
  legalHoldField,
  Metadata,
  metadataChange,
  noQuery,
  nullable,
  openSet,
  permanentlyFlag,
  tagsField,
  timestampField,
  titleField,
} from '../fields.ts'
import type { Operation } from '../operation.ts'
import { FolderReference, FolderUuid } from './folders.ts'

export const AssetId = Type.String({
  format: 'uuid',
  description: 'Asset identifier (UUID).',
  examples: ['019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'],
})

/** Renditions, named after the shorter side of the frame. */
export const resolutions = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const
export const Resolution = Type.Enum([...resolutions], { type: 'string' })
export type Resolution = (typeof resolutions)[number]

export const contentProtections = ['drm', 'aes', 'disable'] as const
export const ContentProtection = Type.Enum([...contentProtections], { type: 'string' })
export type ContentProtection = (typeof contentProtections)[number]

export const videoStatuses = ['Not Started', 'Queued', 'Processing', 'Completed', 'Error', 'Cancelled'] as const
export type VideoStatus = (typeof videoStatuses)[number]

/** Why an upload or the processing of a video failed; stored with the resource. */
export const Failure = Type.Object(
  {
    code: openSet(Object.keys(failureCatalogue), {
      description: `One of ${Object.keys(failureCatalogue).join(', ')}; later versions may add others.`,
    }),
    detail: Type.String({ description: 'Explanation of the failure and how to fix it.' }),
  },
  { title: 'Failure' },
)

export const renditionStatuses = videoStatuses.filter((status) => status !== 'Not Started')

const Rendition = Type.Object(
  {
    name: Resolution,
    status: openSet(renditionStatuses, {
      description: 'One of "Queued", "Processing", "Completed", "Error" or "Cancelled"; later versions may add others.',
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Encoding progress in percent.',
    }),
    width: Type.Integer(),
    height: Type.Integer(),
    bitrate: nullable(Type.Integer(), 'Average bitrate in bits per second; null until the rendition is complete.'),
  },
  { title: 'Rendition' },
)
export type Rendition = Type.Static<typeof Rendition>

export const subtitleOrigins = ['uploaded', 'generated', 'embedded'] as const

const Track = Type.Object(
  {
    kind: openSet(['subtitles', 'storyboard', 'filmstrip'], {
      description:
        '"subtitles", "storyboard" (small frames for previews, at most 500) or "filmstrip" (more of them, one for every two seconds of the first two hours; absent if the storyboard has as many); later versions may add others.',
    }),
    id: nullable(Type.String(), 'Subtitles only: the track identifier used by `subtitles/`.'),
    language: nullable(Type.String(), 'Subtitles only: BCP 47 language tag.'),
    label: nullable(Type.String(), 'Subtitles only: the name shown to viewers.'),
    origin: nullable(
      openSet(subtitleOrigins),
      'Subtitles only: "uploaded", "embedded" (contained in the source file) or "generated" (speech recognition, may contain errors).',
    ),
    url: Type.String({ description: 'URL of the WebVTT file.' }),
  },
  { title: 'Track' },
)

export const Video = Type.Object(
  {
    status: openSet(videoStatuses, {
      description: `One of ${videoStatuses.map((status) => `"${status}"`).join(', ')}; later versions may add others.`,
      examples: ['Not Started'],
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Processing progress in percent.',
    }),
    duration: nullable(Type.Number(), 'Duration in seconds; null until the file has been probed.'),
    width: nullable(Type.Integer(), 'Display width in pixels, after rotation; null until the file has been probed.'),
    height: nullable(Type.Integer()),
    frame_rate: nullable(
      Type.Number(),
      'Frames per second of the source file, rounded to three decimals; null if it is variable or unknown, and until the file has been probed. `frames/` returns the exact rate and frame times of the renditions.',
    ),
    resolutions: Type.Array(Resolution, { description: 'The requested renditions.' }),
    renditions: Type.Array(Rendition, {
      description:
        'Encoded and planned renditions, smallest first. `plan/` explains why a requested rendition was skipped.',
    }),
    content_protection_type: ContentProtection,
    generate_subtitle: Type.Boolean(),
    playback_url: nullable(
      Type.String(),
      'HLS URL; null until the video is playable. Playback can start while renditions are still being encoded. All URLs of an asset contain a playback token that is valid for at least six hours; request the asset again for a new one. Give viewers their own token (`access-tokens/`).',
    ),
    dash_url: nullable(
      Type.String(),
      'MPEG-DASH URL; null until all renditions are complete, and always null for `aes`, which supports HLS only.',
    ),
    thumbnails: Type.Array(Type.String()),
    cover_thumbnail_url: nullable(Type.String()),
    waveform_url: nullable(
      Type.String(),
      'URL of the loudness of the audio for timelines, as a gzip file: a byte with the version 1, a byte with the number of levels, the number of points of each level (32 bits, little-endian), then the points of all levels, coarsest level first. A point is a byte: the maximum amplitude, where 255 is full scale. The finest level has 20 points per second; a point of each other level is the maximum of four points of the next one. Null until it is created, and for a video without audio.',
    ),
    tracks: Type.Array(Track, { description: 'Subtitle tracks, the storyboard and the filmstrip.' }),
    clip: nullable(
      Type.Object(
        {
          parent_id: AssetId,
          start_seconds: Type.Number({
            description:
              'Time of the first frame in the video whose files the clip plays, in seconds. If the parent is a clip too, that is the video from which the parent was made.',
          }),
          end_seconds: Type.Number({ description: 'Time after the last frame in the same video, in seconds.' }),
        },
        { title: 'Clip' },
      ),
      'The part that this clip shows, and the asset from which it was created, which may have been deleted; null if the asset is not a clip.',
    ),
    trim: nullable(
      Type.Object(
        {
          start_seconds: Type.Number({ description: 'Time of the first frame in the whole video, in seconds.' }),
          end_seconds: Type.Number({ description: 'Time after the last frame in the whole video, in seconds.' }),
          whole_duration: Type.Number({ description: 'Duration of the whole video in seconds.' }),
        },
        { title: 'Trim' },
      ),
      'The part of the video that the asset shows; null if it shows the whole.',
    ),
    error: nullable(
      Failure,
      'Reason for the status "Error", or for "Cancelled" if the upload expired or was cancelled; null otherwise.',
    ),
  },
  { title: 'Video' },
)

export const Asset = Type.Object(
  {
    id: AssetId,
    title: Type.String(),
    bytes: nullable(
      Type.Integer({ minimum: 1 }),
      'Size of the source file in bytes; null until the upload is complete.',
    ),
    type: Type.Literal('video'),
    parent_id: nullable(FolderUuid, 'The folder that contains the asset; null at the root.'),
    description: Type.String(),
    tags: Type.Array(Type.String(), { description: 'In alphabetical order.' }),
    external_id: nullable(Type.String(), 'Your own identifier, unique in the organization.'),
    metadata: Metadata,
    video: Video,
    version: Type.Integer({ minimum: 1, description: 'Number of the version that plays.' }),
    upload_session_uuid: nullable(
      Type.String({ format: 'uuid' }),
      'The upload session of the current version; null for a clip or a rendered part.',
    ),
    legal_hold: Type.Boolean({ description: 'Whether the asset is under legal hold, so that it cannot be deleted.' }),
    created_by: Creator,
    created_at: timestampField,
    updated_at: timestampField,
    deleted_at: nullable(timestampField, 'When the asset was moved to the trash; null if it is not in the trash.'),
    purge_at: nullable(timestampField, 'When an asset in the trash is purged; null otherwise.'),
  },
  { title: 'Asset' },
)
export type Asset = Type.Static<typeof Asset>

const TimelineEntry = Type.Object(
  {
    at: timestampField,
    what: Type.String({ description: 'Stable name of the entry, for example `uploaded`.' }),
    detail: Type.String({ description: 'Description of the entry.' }),
  },
  { title: 'TimelineEntry' },
)

export const Timeline = Type.Object(
  {
    entries: Type.Array(TimelineEntry, {
      description: 'Past entries, oldest first: the creation, then the 999 most recent entries.',
    }),
    pending: nullable(
      Type.Object({
        what: Type.String({ description: 'Stable name of the pending step.' }),
        detail: Type.String({ description: 'Description of the pending step.' }),
        until: nullable(timestampField, 'Deadline of the pending step; null if it has none.'),
      }),
      'The pending step; null if nothing is pending.',
    ),
  },
  { title: 'Timeline' },
)
export type Timeline = Type.Static<typeof Timeline>

const PlannedRendition = Type.Object(
  {
    name: Resolution,
    decision: openSet(['encoded', 'skipped', 'undecided'], {
      description:
        '"encoded", "skipped" or, until the file has been probed, "undecided"; later versions may add others.',
    }),
    reason: Type.String({ description: 'Explanation of the decision.' }),
    status: nullable(
      openSet(renditionStatuses),
      'Status of the rendition, as in `video.renditions`; null if it is skipped.',
    ),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    bitrate_max: nullable(Type.Integer(), 'Peak bitrate in bits per second, as declared in the manifests.'),
    bitrate: nullable(Type.Integer(), 'Average bitrate in bits per second; null until the rendition is complete.'),
  },
  { title: 'PlannedRendition' },
)

export const AssetPlan = Type.Object(
  {
    frame_rate: nullable(Type.Number(), 'Frames per second of every rendition.'),
    keyframe_interval: nullable(Type.Number(), 'Keyframe interval of every rendition, in seconds.'),
    segment_duration: nullable(Type.Number(), 'Segment duration in seconds.'),
    part_count: nullable(Type.Integer(), 'Number of parts that are encoded in parallel by the available workers.'),
    audio: nullable(
      Type.Object({
        bitrate: Type.Integer({ description: 'Bitrate in bits per second.' }),
        channels: Type.Integer(),
        sample_rate: Type.Integer(),
      }),
      'Audio encoding; null if the video has no audio or has not been probed yet.',
    ),
    renditions: Type.Array(PlannedRendition, {
      description: 'All requested renditions, smallest first.',
    }),
  },
  { title: 'AssetPlan' },
)
export type AssetPlan = Type.Static<typeof AssetPlan>

const onAsset = Type.Object({ asset_id: AssetId })
const shared = { tag: 'Assets', idempotent: false } as const

export const readAsset = {
  ...shared,
  id: 'readAsset',
  method: 'GET',
  path: '/assets/:asset_id/',
  summary: 'Retrieve an asset',
  description:
    'Returns the current state of the asset. The `ETag` changes with the fields that `PATCH` can change, not with the processing of the video.',
  scopes: ['assets:read'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset, hasEntityTag: true },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const updateAsset = {
  ...shared,
  id: 'updateAsset',
  method: 'PATCH',
  path: '/assets/:asset_id/',
  summary: 'Update an asset',
  description:
    'Changes the given fields of the asset and keeps the others. `content_protection_type` can be changed until the file is uploaded. `legal_hold` also requires the scope `holds:write`. With the `ETag` of the asset in `If-Match`, the request is refused if one of these fields has changed since.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  headers: ifMatch,
  body: changesOf(
    {
      title: titleField,
      folder: nullable(FolderReference, 'Destination folder; null for the root.'),
      description: descriptionField,
      tags: tagsField,
      external_id: nullable(externalIdField, 'Your own identifier, unique in the organization; null removes it.'),
      metadata: metadataChange,
      content_protection_type: ContentProtection,
      legal_hold: legalHoldField,
    },
    { title: 'Lecture 1, second cut', tags: ['Physics'] },
  ),
  success: { status: 200, body: Asset, hasEntityTag: true },
  errors: [
    'asset_not_found',
    'changed_meanwhile',
    'invalid_title',
    'target_folder_not_found',
    'external_id_taken',
    'protection_fixed',
    'drm_not_configured',
    'legal_hold',
    'outside_folder',
  ],
} as const satisfies Operation

export const moveAsset = {
  ...shared,
  id: 'moveAsset',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/move/',
  summary: 'Move an asset',
  description: 'Moves the asset to another folder, or to the root if `folder` is null.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf({ folder: nullable(FolderReference, 'Destination folder; null for the root.') }, { folder: null }),
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'target_folder_not_found', 'legal_hold', 'outside_folder'],
} as const satisfies Operation

export const deleteAsset = {
  ...shared,
  id: 'deleteAsset',
  method: 'DELETE',
  path: '/assets/:asset_id/',
  summary: 'Delete an asset',
  description:
    'Moves the asset to the trash: lists and other operations no longer find it, and playback ends within seconds. It can be restored until it is purged, after the number of days that the organization sets (`trash_days`, 30 by default). With `permanently=true`, or if `trash_days` is 0, the asset and its files are purged at once; this also purges an asset in the trash.',
  scopes: ['assets:write'],
  params: onAsset,
  query: Type.Object({ permanently: permanentlyFlag }, closed),
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'legal_hold'],
} as const satisfies Operation

export const restoreAsset = {
  ...shared,
  id: 'restoreAsset',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/restore/',
  summary: 'Restore an asset',
  description:
    'Moves an asset from the trash back to its folder, or to the root if that folder was deleted. Everything is as before: chapters, subtitles, keys and links. Restoring an asset that is not in the trash has no effect. If its folder was deleted, and a folder above that one is under legal hold, it cannot be restored to the root.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'legal_hold', 'outside_folder'],
} as const satisfies Operation

export const readAssetTimeline = {
  ...shared,
  id: 'readAssetTimeline',
  method: 'GET',
  path: '/assets/:asset_id/timeline/',
  summary: "Retrieve an asset's timeline",
  description: 'Returns what has happened to the asset and which step is pending.',
  scopes: ['assets:read'],
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
  summary: "Retrieve an asset's encoding plan",
  description:
    'Returns which renditions are encoded or skipped, and why. The plan is made once the file has been probed, and later includes the resulting bitrates.',
  scopes: ['assets:read'],
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
    'Stops processing within seconds. The source file and everything already published are kept; `retry/` resumes processing. Cancelling a cancelled asset has no effect.',
  scopes: ['assets:write'],
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
    'Resumes processing of an asset that failed or was cancelled, if its source file still exists. Completed steps are not repeated. The rendering of a part (`render/`) needs no source file of its own, and starts again from the beginning.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'nothing_to_retry'],
} as const satisfies Operation

export const operations = [
  readAsset,
  updateAsset,
  moveAsset,
  deleteAsset,
  restoreAsset,
  cancelAsset,
  retryAsset,
  readAssetTimeline,
  readAssetPlan,
] as const
