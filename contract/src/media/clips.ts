import { Type } from 'typebox'
import { bodyOf, ifMatch, noQuery, titleField } from '../fields.ts'
import { Asset, AssetId } from '../library/assets.ts'
import type { Operation } from '../operation.ts'

/** Far more than any video lasts. */
const SECONDS_MAX = 1_000_000

const rangeFields = {
  start_seconds: Type.Number({
    minimum: 0,
    maximum: SECONDS_MAX,
    description: 'Time of the first frame in seconds, moved to the nearest frame.',
    examples: [2.5],
  }),
  end_seconds: Type.Number({
    minimum: 0,
    maximum: SECONDS_MAX,
    description: 'Time after the last frame in seconds, moved to the nearest frame. At most the duration of the video.',
    examples: [12.04],
  }),
}

const example = { start_seconds: 2.5, end_seconds: 12.04 }

const shared = {
  tag: 'Assets',
  idempotent: false,
  params: Type.Object({ asset_id: AssetId }),
  query: noQuery,
} as const

export const createClip = {
  ...shared,
  id: 'createClip',
  method: 'POST',
  path: '/assets/:asset_id/clips/',
  summary: 'Create a clip',
  description:
    'Creates an asset that shows a part of this one. Nothing is encoded or copied, so the clip is complete at once and uses no storage: it plays the files of this asset, which are kept until the last clip is purged, even if this asset is purged. The clip has the content protection and the folder of this asset, and its chapters and subtitles of that part; its playback tokens, title and all other fields are its own. The player of this service starts and ends at the exact frames; other players show at most one more segment (4 seconds) before and after. `render/` makes an independent asset of it.',
  scopes: ['assets:write'],
  body: bodyOf({ ...rangeFields, title: Type.Optional(titleField) }, example),
  success: { status: 201, body: Asset },
  idempotent: true,
  errors: ['asset_not_found', 'clip_not_available', 'invalid_title', 'quota_exceeded', 'range_outside_video'],
} as const satisfies Operation

export const renderAsset = {
  ...shared,
  id: 'renderAsset',
  method: 'POST',
  path: '/assets/:asset_id/render/',
  summary: 'Render a part of an asset',
  description:
    'Creates an independent asset of the part that this asset shows, or of a part of that. It is cut at exactly the frames, for every player: only the segments at the two ends are encoded again, and all others are copied. It has its own copy of the media, so it counts as stored bytes, can be downloaded as MP4, and does not depend on this asset. Its status is "Queued" until it is rendered, in the background. Chapters, subtitles, folder and content protection are as for a clip. It has no uploaded file, so it has no further versions. Videos under DRM are refused.',
  scopes: ['assets:write'],
  body: bodyOf(
    {
      start_seconds: Type.Optional(rangeFields.start_seconds),
      end_seconds: Type.Optional(rangeFields.end_seconds),
      title: Type.Optional(titleField),
    },
    example,
  ),
  success: { status: 201, body: Asset },
  idempotent: true,
  errors: [
    'asset_not_found',
    'clip_not_available',
    'invalid_title',
    'quota_exceeded',
    'range_outside_video',
    'render_not_available',
  ],
} as const satisfies Operation

export const setTrim = {
  ...shared,
  id: 'setTrim',
  method: 'PUT',
  path: '/assets/:asset_id/trim/',
  summary: 'Trim an asset',
  description:
    'Shows only a part of the video, from now on and under the same URLs. Nothing is encoded or deleted, and deleting the trim shows the whole video again. The times are those of the whole video, also if it is trimmed already. Chapters and subtitles keep the times of the whole video; viewers see those of the part. Each version of an asset has a trim of its own, and a new version has none. With the `ETag` of the asset in `If-Match`, the request is refused if the asset has changed since.',
  scopes: ['assets:write'],
  headers: ifMatch,
  body: bodyOf(rangeFields, example),
  success: { status: 200, body: Asset, hasEntityTag: true },
  errors: ['asset_not_found', 'changed_meanwhile', 'clip_not_available', 'range_outside_video'],
} as const satisfies Operation

export const deleteTrim = {
  ...shared,
  id: 'deleteTrim',
  method: 'DELETE',
  path: '/assets/:asset_id/trim/',
  summary: 'Delete the trim of an asset',
  description: 'Shows the whole video again. Has no effect if the asset is not trimmed.',
  scopes: ['assets:write'],
  headers: ifMatch,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'changed_meanwhile'],
} as const satisfies Operation

export const operations = [createClip, renderAsset, setTrim, deleteTrim] as const
