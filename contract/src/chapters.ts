import { Type } from 'typebox'
import { AssetId } from './assets.ts'
import { bodyOf, closed, noQuery, titleField } from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

/** Far above any real table of contents; it keeps one asset from growing without bound. */
export const CHAPTERS_PER_ASSET_MAX = 500

const startField = Type.String({
  pattern: '^[0-9]{1,2}:[0-5][0-9]:[0-5][0-9]$',
  description:
    'When the chapter starts, as HH:MM:SS or H:MM:SS. At or after 00:00:00 and before the end of the video.',
  examples: ['00:01:30'],
})

export const Chapter = Type.Object(
  {
    id: Type.Integer({
      minimum: 1,
      description:
        'Counted up within the asset; the number of a deleted chapter is not used again.',
    }),
    title: Type.String(),
    start_time: Type.String({
      pattern: '^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$',
      description: 'HH:MM:SS',
      examples: ['00:01:30'],
    }),
  },
  { title: 'Chapter' },
)
export type Chapter = Type.Static<typeof Chapter>

export const NewChapter = Type.Object(
  { title: titleField, start_time: startField },
  { ...closed, title: 'NewChapter' },
)
export type NewChapter = Type.Static<typeof NewChapter>

const twoChapters = {
  chapters: [
    { title: 'Opening', start_time: '00:00:00' },
    { title: 'Interview', start_time: '00:01:30' },
  ],
}

const onAsset = Type.Object({ asset_id: AssetId })
const onChapter = Type.Object({
  asset_id: AssetId,
  chapter_id: Type.Integer({
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description: 'Identifier of a chapter of this asset.',
  }),
})
const shared = { tag: 'Chapters', idempotent: false } as const

export const addChapters = {
  ...shared,
  id: 'addChapters',
  method: 'POST',
  path: '/assets/:asset_id/chapters/',
  summary: 'Add chapters',
  description:
    'All of them or none. The answer holds the added ones only, ordered by start. The duration of the video must be known, which it is seconds after its upload, and no two chapters of a video start at the same second. A video has at most 500 chapters.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    { chapters: Type.Array(NewChapter, { minItems: 1, maxItems: CHAPTERS_PER_ASSET_MAX }) },
    twoChapters,
  ),
  success: { status: 201, body: page(Chapter) },
  idempotent: true,
  errors: [
    'asset_not_found',
    'invalid_title',
    'video_duration_unknown',
    'chapter_outside_video',
    'chapter_start_taken',
    'too_many_chapters',
  ],
} as const satisfies Operation

export const listChapters = {
  ...shared,
  id: 'listChapters',
  method: 'GET',
  path: '/assets/:asset_id/chapters/',
  summary: 'List chapters',
  description: 'The chapters of a video, ordered by start.',
  scope: 'assets:read',
  params: onAsset,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Chapter) },
  errors: ['asset_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const deleteChapter = {
  ...shared,
  id: 'deleteChapter',
  method: 'DELETE',
  path: '/assets/:asset_id/chapters/:chapter_id/',
  summary: 'Delete a chapter',
  description: 'The others stay as they are.',
  scope: 'assets:write',
  params: onChapter,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'chapter_not_found'],
} as const satisfies Operation

export const editChapter = {
  ...shared,
  id: 'editChapter',
  method: 'PATCH',
  path: '/assets/:asset_id/chapters/:chapter_id/',
  summary: 'Edit a chapter',
  description: 'Its title, its start, or both. It keeps its id.',
  scope: 'assets:write',
  params: onChapter,
  query: noQuery,
  body: Type.Object(
    { title: Type.Optional(titleField), start_time: Type.Optional(startField) },
    { ...closed, minProperties: 1, examples: [{ title: 'Intermission', start_time: '00:02:00' }] },
  ),
  success: { status: 200, body: Chapter },
  errors: [
    'asset_not_found',
    'chapter_not_found',
    'invalid_title',
    'video_duration_unknown',
    'chapter_outside_video',
    'chapter_start_taken',
  ],
} as const satisfies Operation

export const replaceChapters = {
  ...shared,
  id: 'replaceChapters',
  method: 'PUT',
  path: '/assets/:asset_id/chapters/',
  summary: 'Replace all chapters',
  description:
    'The video has these chapters afterwards and no others; with an empty list, none. A chapter that starts at the same second as one that was there keeps its id. The answer holds all of them.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    { chapters: Type.Array(NewChapter, { maxItems: CHAPTERS_PER_ASSET_MAX }) },
    twoChapters,
  ),
  success: { status: 200, body: page(Chapter) },
  errors: [
    'asset_not_found',
    'invalid_title',
    'video_duration_unknown',
    'chapter_outside_video',
    'chapter_start_taken',
  ],
} as const satisfies Operation

export const chapterFormats = ['webvtt', 'lines', 'podcasting', 'ffmetadata'] as const
export type ChapterFormat = (typeof chapterFormats)[number]

const formatWords =
  '`webvtt`: a WebVTT chapters track. `lines`: a line for each chapter that begins with its time, such as `1:30 Interview`. `podcasting`: JSON chapters of the podcast namespace (Podcasting 2.0). `ffmetadata`: the text that ffmpeg reads and writes.'

export const importChapters = {
  ...shared,
  id: 'importChapters',
  method: 'POST',
  path: '/assets/:asset_id/chapters/import/',
  summary: 'Import chapters from a text',
  description:
    'Adds all of the chapters in the text or none; with `replace`, the video has these and no others afterwards. What cannot be read is named line by line. A start within a second counts as that second. The answer holds the added chapters, or all of them with `replace`.',
  scope: 'assets:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      format: Type.Enum([...chapterFormats], { type: 'string', description: formatWords }),
      text: Type.String({ maxLength: 256 * 1024 }),
      replace: Type.Optional(
        Type.Boolean({ default: false, description: 'Take the chapters that were there away.' }),
      ),
    },
    { format: 'lines', text: '0:00 Opening\n1:30 Interview' },
  ),
  success: { status: 201, body: page(Chapter) },
  idempotent: true,
  errors: [
    'asset_not_found',
    'invalid_chapter_text',
    'video_duration_unknown',
    'chapter_outside_video',
    'chapter_start_taken',
    'too_many_chapters',
  ],
} as const satisfies Operation

export const exportChapters = {
  ...shared,
  id: 'exportChapters',
  method: 'GET',
  path: '/assets/:asset_id/chapters/export/',
  summary: 'Export chapters as a text',
  description:
    'All chapters of the video, as a file. Imported again, it gives the same titles and starts.',
  scope: 'assets:read',
  params: onAsset,
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Enum([...chapterFormats], {
          type: 'string',
          default: 'webvtt',
          description: formatWords,
        }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'UTF-8, in the format that was asked for.' }),
    mediaTypes: ['text/vtt', 'text/plain', 'application/json+chapters'],
  },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const readFoundChapters = {
  ...shared,
  id: 'readFoundChapters',
  method: 'GET',
  path: '/assets/:asset_id/chapters/found/',
  summary: 'Read the chapters in the uploaded file',
  description:
    'What the file itself says of its chapters, put in order so that this body can be sent to the list of chapters as it is: whole seconds within the video, one chapter a second, a title for each, at most 500. They became the chapters of the asset when its file was looked into, unless it had others; this is what they were.',
  scope: 'assets:read',
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        chapters: Type.Array(
          Type.Object({ title: Type.String(), start_time: Chapter.properties.start_time }),
          { description: 'Ordered by start; empty if the file has none.' },
        ),
      },
      { title: 'FoundChapters' },
    ),
  },
  errors: ['asset_not_found', 'video_duration_unknown'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  addChapters,
  listChapters,
  deleteChapter,
  editChapter,
  replaceChapters,
  importChapters,
  exportChapters,
  readFoundChapters,
] as const
