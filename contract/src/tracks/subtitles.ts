import { Type } from 'typebox'
import { bodyOf, closed, ifMatch, noQuery, openSet, timestampField, titleField } from '../fields.ts'
import { AssetId, subtitleOrigins } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Maximum number of subtitle tracks per video, more than the number of languages a video is usually published in. */
export const SUBTITLES_PER_ASSET_MAX = 50

/** Maximum number of versions of a subtitle track, with the current one. A newer one replaces the oldest. */
export const SUBTITLE_VERSIONS_MAX = 20

/** Maximum length of a subtitle track, in characters. Subtitles of a three-hour film take about 150 KiB. */
const CONTENT_LENGTH_MAX = 2 * 1024 * 1024
/** Maximum size of a request body with a subtitle track. JSON escapes make the body longer than the track. */
const BODY_BYTES_MAX = 6 * 1024 * 1024

export { subtitleOrigins }

const contentField = Type.String({
  maxLength: CONTENT_LENGTH_MAX,
  description: 'Contents of a WebVTT or SRT file. The format is detected automatically.',
})

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
    version: Type.Integer({ minimum: 1, description: 'Number of the version that viewers see.' }),
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

export const SubtitleVersion = Type.Object(
  {
    number: Type.Integer({
      minimum: 1,
      description: 'Number of the version. Numbers of deleted versions are not used again.',
    }),
    is_active: Type.Boolean({ description: 'Whether viewers see this version.' }),
    origin: openSet(subtitleOrigins, { description: 'Where the text comes from, like `origin` of a track.' }),
    created_at: timestampField,
  },
  { title: 'SubtitleVersion' },
)
export type SubtitleVersion = Type.Static<typeof SubtitleVersion>

const onAsset = Type.Object({ asset_id: AssetId })
const onSubtitle = Type.Object({
  asset_id: AssetId,
  subtitle_id: Type.String({
    format: 'uuid',
    description: 'Subtitle track identifier.',
  }),
})
const onVersion = Type.Object({
  ...onSubtitle.properties,
  version_number: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of the version.' }),
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
      content: contentField,
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
  description: 'Returns the track as a WebVTT file. Its `ETag` can be sent in `If-Match` to replace the track.',
  scopes: ['assets:read'],
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'WebVTT file, UTF-8.' }),
    mediaTypes: ['text/vtt'],
    hasEntityTag: true,
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

export const replaceSubtitle = {
  ...shared,
  id: 'replaceSubtitle',
  method: 'PUT',
  path: '/assets/:asset_id/subtitles/:subtitle_id/',
  summary: 'Replace the text of a subtitle track',
  description:
    'Shows another WebVTT or SRT file as a new version of the track, which keeps its `id`, language and label. The earlier text stays as a version; at most 20 versions are kept, and the oldest are deleted. The track becomes `uploaded`, so processing the video again does not replace it. A text that is shown already changes nothing. With the `ETag` of the track in `If-Match`, the request is refused if the text has changed since. The limits are those of a new track.',
  scopes: ['assets:write'],
  params: onSubtitle,
  query: noQuery,
  headers: ifMatch,
  body: bodyOf({ content: contentField }, { content: 'WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGuten Abend.\n' }),
  bodyBytesMax: BODY_BYTES_MAX,
  success: { status: 200, body: Subtitle, hasEntityTag: true },
  errors: ['asset_not_found', 'subtitle_not_found', 'changed_meanwhile', 'invalid_subtitle_text'],
} as const satisfies Operation

export const listSubtitleVersions = {
  ...shared,
  id: 'listSubtitleVersions',
  method: 'GET',
  path: '/assets/:asset_id/subtitles/:subtitle_id/versions/',
  summary: 'List versions of a subtitle track',
  description:
    'Returns all versions of the text, newest first. They are few, so there is one page. The `ETag` is that of the track.',
  scopes: ['assets:read'],
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: page(SubtitleVersion), hasEntityTag: true },
  errors: ['asset_not_found', 'subtitle_not_found'],
} as const satisfies Operation

export const readSubtitleVersion = {
  ...shared,
  id: 'readSubtitleVersion',
  method: 'GET',
  path: '/assets/:asset_id/subtitles/:subtitle_id/versions/:version_number/',
  summary: 'Retrieve a version of a subtitle track',
  description: 'Returns the version as a WebVTT file. The text of a version never changes.',
  scopes: ['assets:read'],
  params: onVersion,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'WebVTT file, UTF-8.' }),
    mediaTypes: ['text/vtt'],
  },
  errors: ['asset_not_found', 'subtitle_not_found', 'version_not_found'],
} as const satisfies Operation

export const activateSubtitleVersion = {
  ...shared,
  id: 'activateSubtitleVersion',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/subtitles/:subtitle_id/versions/:version_number/activate/',
  summary: 'Activate a version of a subtitle track',
  description:
    'Shows another version to viewers, for example to undo a change. Activating the version that is active has no effect. With the `ETag` of the track in `If-Match`, the request is refused if the text has changed since.',
  scopes: ['assets:write'],
  params: onVersion,
  query: noQuery,
  headers: ifMatch,
  body: undefined,
  success: { status: 200, body: Subtitle, hasEntityTag: true },
  errors: ['asset_not_found', 'subtitle_not_found', 'version_not_found', 'changed_meanwhile'],
} as const satisfies Operation

export const operations = [
  addSubtitle,
  listSubtitles,
  readSubtitle,
  replaceSubtitle,
  deleteSubtitle,
  listSubtitleVersions,
  readSubtitleVersion,
  activateSubtitleVersion,
] as const
