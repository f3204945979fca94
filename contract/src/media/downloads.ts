import { Type } from 'typebox'
import { bodyOf, noQuery, nullable, openSet, timestampField } from '../fields.ts'
import { AssetId, Resolution } from '../library/assets.ts'
import type { Operation } from '../operation.ts'

const LIFETIME_SECONDS_MIN = 60
/** Maximum lifetime of a link. Links are passed on easily, and a new one costs a single request. */
const LIFETIME_SECONDS_MAX = 3600
export const LIFETIME_SECONDS_DEFAULT = 900

export const downloadKinds = ['source', 'mp4'] as const

export const Download = Type.Object(
  {
    kind: openSet(downloadKinds, { description: '"source" or "mp4"; later versions may add others.' }),
    resolution: nullable(Resolution, 'The rendition of an MP4; null for the source.'),
    url: Type.String({
      description:
        'The link. It needs no token, and supports `Range`, so an interrupted download can be resumed until the link expires.',
    }),
    file_name: Type.String({ description: 'File name under which browsers save the file, from the title.' }),
    expires_at: timestampField,
  },
  { title: 'Download' },
)
export type Download = Type.Static<typeof Download>

export const createDownload = {
  tag: 'Assets',
  idempotent: false,
  repeatable: true,
  id: 'createDownload',
  method: 'POST',
  path: '/assets/:asset_id/downloads/',
  summary: 'Create a download link',
  description:
    'Returns a short-lived link to a file of the asset. `source` is the uploaded file, unchanged; it also requires the scope `source:read`. `mp4` is a complete rendition with audio, which is not encoded again and starts within a second. Assets that are protected with `aes` or `drm` have no MP4. A download that has started continues after the link has expired.',
  scopes: ['assets:read'],
  params: Type.Object({ asset_id: AssetId }),
  query: noQuery,
  body: bodyOf(
    {
      kind: Type.Enum([...downloadKinds], { type: 'string' }),
      resolution: Type.Optional(
        Type.Enum([...Resolution.enum], {
          type: 'string',
          description: 'The rendition of an MP4. Default: the largest one that is complete.',
        }),
      ),
      expires_in_seconds: Type.Optional(
        Type.Integer({
          minimum: LIFETIME_SECONDS_MIN,
          maximum: LIFETIME_SECONDS_MAX,
          default: LIFETIME_SECONDS_DEFAULT,
          description: 'Lifetime of the link in seconds.',
        }),
      ),
    },
    { kind: 'mp4' },
  ),
  success: { status: 200, body: Download },
  errors: ['asset_not_found', 'source_not_available', 'rendition_not_available', 'content_protected'],
} as const satisfies Operation

export const operations = [createDownload] as const
