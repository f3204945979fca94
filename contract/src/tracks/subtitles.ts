import { Type } from 'typebox'
import { bodyOf, closed, noQuery, openSet, timestampField, titleField } from '../fields.ts'
import { AssetId, subtitleOrigins } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Maximum number of subtitle tracks per video, more than the number of languages a video is usually published in. */
export const SUBTITLES_PER_ASSET_MAX = 50

/** Maximum length of a subtitle track, in characters. Subtitles of a three-hour film take about 150 KiB. */
const CONTENT_LENGTH_MAX = 2 * 1024 * 1024
/** Maximum size of a request body with a subtitle track. JSON escapes make the body longer than the track. */
const BODY_BYTES_MAX = 6 * 1024 * 1024

export { subtitleOrigins }

const languageDescription =
  'BCP 47 language tag, for example `de` or `pt-BR`, normalized in responses; `und` if unknown.'

export const Subtitle = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    language: Type.String({ description: languageDescription, examples: ['de'] }),
    label: Type.String({ description: 'Name shown to viewers.' }),
    origin: openSet(subtitleOrigins, {
      description:
        '`uploaded` by an API client, `generated` by speech recognition (may contain errors) or `embedded` (contained in the source file). Later versions may add others.',
    }),
    created_at: timestampField,
    beyond_end: Type.Optional(
      Type.Boolean({
        description:
          'Present and true only if an uploaded track has cues after the end of the video, for example because the current version is shorter.',
      }),
    ),
  },
  { title: 'Subtitle' },
)
export type Subtitle = Type.Static<typeof Subtitle>

const onAsset = Type.Object({ asset_id: AssetId })
const onSubtitle = Type.Object({
  asset_id: AssetId,
  subtitle_id: Type.String({
    format: 'uuid',
    description: 'Subtitle track identifier.',
  }),
})
const shared = { tag: 'Subtitles', idempotent: false } as const

export const addSubtitle = {
  ...shared,
  id: 'addSubtitle',
  method: 'POST',
  path: '/assets/:asset_id/subtitles/',
  summary: 'Add a subtitle track',
  description:
    'Adds a subtitle track from a WebVTT or SRT file; SRT is converted to WebVTT. If a line is invalid, nothing is added and the error lists every invalid line. Limits: 2 MiB and 20,000 cues per track, 50 tracks per video.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      language: Type.String({ maxLength: 100, description: languageDescription }),
      label: Type.Optional(titleField),
      content: Type.String({
        maxLength: CONTENT_LENGTH_MAX,
        description: 'Contents of a WebVTT or SRT file. The format is detected automatically.',
      }),
    },
    {
      language: 'de',
      label: 'Deutsch',
      content: 'WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGuten Tag.\n',
    },
  ),
  bodyBytesMax: BODY_BYTES_MAX,
  success: { status: 201, body: Subtitle },
  idempotent: true,
  errors: ['asset_not_found', 'invalid_language', 'invalid_title', 'invalid_subtitle_text', 'too_many_subtitles'],
} as const satisfies Operation

export const listSubtitles = {
  ...shared,
  id: 'listSubtitles',
  method: 'GET',
  path: '/assets/:asset_id/subtitles/',
  summary: 'List subtitle tracks',
  description: 'Returns all subtitle tracks of the video, oldest first.',
  scopes: ['assets:read'],
  params: onAsset,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Subtitle) },
  errors: ['asset_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const readSubtitle = {
  ...shared,
  id: 'readSubtitle',
  method: 'GET',
  path: '/assets/:asset_id/subtitles/:subtitle_id/',
  summary: 'Retrieve a subtitle track',
  description: 'Returns the track as a WebVTT file.',
  scopes: ['assets:read'],
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'WebVTT file, UTF-8.' }),
    mediaTypes: ['text/vtt'],
  },
  errors: ['asset_not_found', 'subtitle_not_found'],
} as const satisfies Operation

export const deleteSubtitle = {
  ...shared,
  id: 'deleteSubtitle',
  method: 'DELETE',
  path: '/assets/:asset_id/subtitles/:subtitle_id/',
  summary: 'Delete a subtitle track',
  description: 'Deletes the track, whether it was uploaded, generated or contained in the source file.',
  scopes: ['assets:write'],
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'subtitle_not_found'],
} as const satisfies Operation

export const operations = [addSubtitle, listSubtitles, readSubtitle, deleteSubtitle] as const
