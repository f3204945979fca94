import { Type } from 'typebox'
import { AssetId, subtitleOrigins } from './assets.ts'
import { bodyOf, closed, noQuery, openSet, timestampField, titleField } from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

/** More than there are languages in which anything is shown; it keeps one asset from growing without bound. */
export const SUBTITLES_PER_ASSET_MAX = 50

/** A film of three hours has some 150 KiB. */
const CONTENT_LENGTH_MAX = 2 * 1024 * 1024
/** Of the body: JSON writes a line break as two characters, and some programs every other letter as six. */
const BODY_BYTES_MAX = 6 * 1024 * 1024

export { subtitleOrigins }

const languageText =
  'BCP 47, such as `de` or `pt-BR`; it is answered in its usual spelling. `und` if nobody knows.'

export const Subtitle = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    language: Type.String({ description: languageText, examples: ['de'] }),
    label: Type.String({ description: 'As a player shows it.' }),
    origin: openSet(subtitleOrigins, {
      description:
        '`uploaded`: by a caller. `generated`: recognised from the sound, so expect mistakes. `carried`: it was in the uploaded file. Later versions may add others.',
    }),
    created_at: timestampField,
  },
  { title: 'Subtitle' },
)
export type Subtitle = Type.Static<typeof Subtitle>

const onAsset = Type.Object({ asset_id: AssetId })
const onSubtitle = Type.Object({
  asset_id: AssetId,
  subtitle_id: Type.String({
    format: 'uuid',
    description: 'Identifier of a subtitle track of this asset.',
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
    'WebVTT, or SRT, which becomes WebVTT. A text that holds anything unreadable is refused as a whole, and each line is named. It may have 2 MiB and 20,000 cues; a video has at most 50 tracks.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      language: Type.String({ maxLength: 100, description: languageText }),
      label: Type.Optional(titleField),
      content: Type.String({
        maxLength: CONTENT_LENGTH_MAX,
        description: 'The text of a WebVTT or SRT file. Which of them it is, is seen from it.',
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
  errors: [
    'asset_not_found',
    'invalid_language',
    'invalid_title',
    'invalid_subtitle_text',
    'too_many_subtitles',
  ],
} as const satisfies Operation

export const listSubtitles = {
  ...shared,
  id: 'listSubtitles',
  method: 'GET',
  path: '/assets/:asset_id/subtitles/',
  summary: 'List subtitle tracks',
  description: 'The subtitle tracks of a video, oldest first, wherever they come from.',
  scope: 'assets:read',
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
  summary: 'Read a subtitle track',
  description: 'The track as a WebVTT file. It can be edited and added again.',
  scope: 'assets:read',
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'UTF-8, WebVTT.' }),
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
  description: 'Whatever its origin. The others stay as they are.',
  scope: 'assets:write',
  params: onSubtitle,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'subtitle_not_found'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [addSubtitle, listSubtitles, readSubtitle, deleteSubtitle] as const
