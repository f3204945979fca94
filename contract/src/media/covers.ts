import { Type } from 'typebox'
import { bodyOf, noQuery, nullable, openSet, timestampField } from '../fields.ts'
import { AssetId } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { ClientPayload } from '../uploads/upload-sessions.ts'

/** Far more than any video lasts; keeps numbers in a range that ffmpeg accepts. */
const AT_SECONDS_MAX = 1_000_000
/** Maximum size of an uploaded image. */
export const IMAGE_BYTES_MAX = 10 * 2 ** 20
/** More thumbnails than are generated. */
const THUMBNAIL_MAX = 100

export const Cover = Type.Object(
  {
    status: openSet(['ready', 'processing'], {
      description:
        '"processing" while a new cover is being created; the event `asset.updated` follows. Later versions may add others.',
    }),
    is_custom: Type.Boolean({ description: 'False for the cover that was chosen automatically.' }),
    url: nullable(
      Type.String(),
      'URL of the current cover, a JPEG, as in `video.cover_thumbnail_url`; null until the video has one.',
    ),
  },
  { title: 'Cover' },
)
export type Cover = Type.Static<typeof Cover>

export const CoverUpload = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Value of `upload_id` with which the image becomes the cover.' }),
    max_bytes: Type.Integer({ description: 'Maximum size of the image in bytes.' }),
    expires_at: timestampField,
    client_payload: ClientPayload,
  },
  { title: 'CoverUpload' },
)
export type CoverUpload = Type.Static<typeof CoverUpload>

const shared = {
  tag: 'Assets',
  idempotent: false,
  path: '/assets/:asset_id/cover/',
  params: Type.Object({ asset_id: AssetId }),
  query: noQuery,
} as const

export const readCover = {
  ...shared,
  id: 'readCover',
  method: 'GET',
  summary: "Retrieve an asset's cover",
  description: 'Returns the cover, and whether a new one is being created.',
  scopes: ['assets:read'],
  body: undefined,
  success: { status: 200, body: Cover },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const setCover = {
  ...shared,
  id: 'setCover',
  method: 'PUT',
  summary: "Set an asset's cover",
  description:
    'Chooses the image that players and embeds show before playback: the frame at `at_seconds`, one of `video.thumbnails`, or an image uploaded with `cover/uploads/`. Send exactly one of them. A frame or an uploaded image is processed in the background: the response has the status "processing" and the current cover, and the event `asset.updated` follows within seconds. A later request replaces an earlier one. The frame of a video that is protected with `drm` is that of the last keyframe, at most a few seconds earlier. If processing fails, the cover stays, and the timeline has an entry.',
  scopes: ['assets:write'],
  body: bodyOf(
    {
      at_seconds: Type.Optional(
        Type.Number({ minimum: 0, maximum: AT_SECONDS_MAX, description: 'Position of the frame in seconds.' }),
      ),
      thumbnail: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: THUMBNAIL_MAX,
          description: 'Number of an image in `video.thumbnails`, from 1.',
        }),
      ),
      upload_id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of an image that was uploaded.' })),
    },
    { at_seconds: 12.5 },
  ),
  success: { status: 200, body: Cover },
  errors: ['asset_not_found', 'cover_not_available', 'cover_outside_video', 'upload_not_arrived'],
} as const satisfies Operation

export const deleteCover = {
  ...shared,
  id: 'deleteCover',
  method: 'DELETE',
  summary: "Reset an asset's cover",
  description: 'Returns to the cover that was chosen automatically, and cancels a request for another one.',
  scopes: ['assets:write'],
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const createCoverUpload = {
  ...shared,
  id: 'createCoverUpload',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/cover/uploads/',
  summary: 'Create an upload for a cover',
  description:
    'Returns a signed form for uploading a JPEG, PNG or WebP image of at most 10 MiB and 40 megapixels directly to storage. Send a `multipart/form-data` POST to `upload_link` with all other fields of `client_payload`, followed by the image in a field named `file`. Then set the cover with `upload_id`. The image is never served as it was uploaded: it is scaled to at most 1280 pixels and encoded again, and the upload is deleted after a few hours.',
  scopes: ['assets:write'],
  body: undefined,
  success: { status: 200, body: CoverUpload },
  errors: ['asset_not_found', 'cover_not_available'],
} as const satisfies Operation

export const operations = [readCover, setCover, deleteCover, createCoverUpload] as const
