import { Type } from 'typebox'
import { bodyOf, closed, ifMatch, noQuery, nullable, titleField } from '../fields.ts'
import { AssetId } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Maximum number of chapters per video, far above any real table of contents. */
export const CHAPTERS_PER_ASSET_MAX = 500

/** A start is given as either field; if both are given, `start_time` is `start_seconds` rounded down. */
const startFields = {
  start_time: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,2}:[0-5][0-9]:[0-5][0-9]$',
      description: 'Start time as HH:MM:SS or H:MM:SS. Must be before the end of the video.',
      examples: ['00:01:30'],
    }),
  ),
  start_seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 359_999.999,
      description:
        'Start time in seconds, rounded to milliseconds. Must be before the end of the video. Either this field or `start_time` is required; if both are given, `start_time` must be this time without its fraction.',
      examples: [90.48],
    }),
  ),
}

export const Chapter = Type.Object(
  {
    id: Type.Integer({
      minimum: 1,
      description: 'Chapter number, unique within the asset. Numbers of deleted chapters are not reused.',
    }),
    title: Type.String(),
    start_time: Type.String({
      pattern: '^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$',
      description: 'Start time as HH:MM:SS, without fractions of a second.',
      examples: ['00:01:30'],
    }),
    start_seconds: Type.Number({
      minimum: 0,
      description: 'Start time in seconds, with milliseconds.',
      examples: [90.48],
    }),
    beyond_end: Type.Optional(
      Type.Boolean({
        description:
          'Present and true only if the chapter starts after the end of the video, because the current version is shorter. Players do not show it.',
      }),
    ),
  },
  { title: 'Chapter' },
)
export type Chapter = Type.Static<typeof Chapter>

export const NewChapter = Type.Object(
  { title: titleField, ...startFields },
  {
    ...closed,
    title: 'NewChapter',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...{ if: { not: { required: ['start_seconds'] } }, then: { required: ['start_time'] } },
  },
)
export type NewChapter = Type.Static<typeof NewChapter>

const chaptersExample = {
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
    description: 'Chapter identifier.',
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
    'Adds all given chapters, or none if one is invalid. Returns the added chapters, ordered by start time. The duration of the video must be known, which is the case seconds after the upload. Start times must be unique within a video; a video can have at most 500 chapters.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    { chapters: Type.Array(NewChapter, { minItems: 1, maxItems: CHAPTERS_PER_ASSET_MAX }) },
    chaptersExample,
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
  description:
    'Returns the chapters of the video, ordered by start time. The `ETag` is the same on all pages and changes with every chapter of the video.',
  scopes: ['assets:read'],
  params: onAsset,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Chapter), hasEntityTag: true },
  errors: ['asset_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const readChapter = {
  ...shared,
  id: 'readChapter',
  method: 'GET',
  path: '/assets/:asset_id/chapters/:chapter_id/',
  summary: 'Retrieve a chapter',
  description: 'Returns the chapter.',
  scopes: ['assets:read'],
  params: onChapter,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Chapter },
  errors: ['asset_not_found', 'chapter_not_found'],
} as const satisfies Operation

export const deleteChapter = {
  ...shared,
  id: 'deleteChapter',
  method: 'DELETE',
  path: '/assets/:asset_id/chapters/:chapter_id/',
  summary: 'Delete a chapter',
  description: 'Deletes the chapter. The other chapters do not change.',
  scopes: ['assets:write'],
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
  summary: 'Update a chapter',
  description: 'Changes the title, the start time or both. The chapter keeps its `id`.',
  scopes: ['assets:write'],
  params: onChapter,
  query: noQuery,
  body: Type.Object(
    { title: Type.Optional(titleField), ...startFields },
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
    'Replaces all chapters of the video; an empty array removes them. A chapter with the start time of an existing one keeps its `id`. Returns all chapters. With the `ETag` of the list in `If-Match`, the request is refused if the chapters have changed since.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  headers: ifMatch,
  body: bodyOf({ chapters: Type.Array(NewChapter, { maxItems: CHAPTERS_PER_ASSET_MAX }) }, chaptersExample),
  success: { status: 200, body: page(Chapter), hasEntityTag: true },
  errors: [
    'asset_not_found',
    'changed_meanwhile',
    'invalid_title',
    'video_duration_unknown',
    'chapter_outside_video',
    'chapter_start_taken',
  ],
} as const satisfies Operation

export const chapterFormats = ['webvtt', 'lines', 'podcasting', 'ffmetadata'] as const
export type ChapterFormat = (typeof chapterFormats)[number]

const formatDescription =
  '`webvtt`: a WebVTT chapters track. `lines`: one chapter per line, starting with its time, for example `1:30 Interview`. `podcasting`: JSON chapters of the podcast namespace (Podcasting 2.0). `ffmetadata`: the metadata format of ffmpeg.'

export const importChapters = {
  ...shared,
  id: 'importChapters',
  method: 'POST',
  path: '/assets/:asset_id/chapters/import/',
  summary: 'Import chapters',
  description:
    'Adds all chapters of the text, or none if a line is invalid; the error lists every invalid line. With `replace`, the existing chapters are removed. Times keep their milliseconds. Returns the added chapters.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      format: Type.Enum([...chapterFormats], { type: 'string', description: formatDescription }),
      text: Type.String({ maxLength: 256 * 1024 }),
      replace: Type.Optional(Type.Boolean({ default: false, description: 'Remove the existing chapters.' })),
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
  summary: 'Export chapters',
  description: 'Returns all chapters of the video as a file that can be imported again.',
  scopes: ['assets:read'],
  params: onAsset,
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Enum([...chapterFormats], {
          type: 'string',
          default: 'webvtt',
          description: formatDescription,
        }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    body: Type.String({ description: 'The chapters in the requested format, as UTF-8 text.' }),
    mediaTypes: ['text/vtt', 'text/plain', 'application/json+chapters'],
  },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const readFoundChapters = {
  ...shared,
  id: 'readFoundChapters',
  method: 'GET',
  path: '/assets/:asset_id/chapters/found/',
  summary: 'Retrieve the chapters of the source file',
  description:
    'Returns the chapters contained in the uploaded file, cleaned up so that the response can be sent to "Replace all chapters" unchanged: starts within the video, in milliseconds and all different, a title for each, at most 500. They became the chapters of the asset when the file was probed, unless it already had chapters.',
  scopes: ['assets:read'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        chapters: Type.Array(
          Type.Object({
            title: Type.String(),
            start_time: Chapter.properties.start_time,
            start_seconds: Chapter.properties.start_seconds,
          }),
          {
            description: 'Ordered by start time; empty if the file has no chapters.',
          },
        ),
      },
      { title: 'FoundChapters' },
    ),
  },
  errors: ['asset_not_found', 'video_duration_unknown'],
} as const satisfies Operation

const Proposal = Type.Object(
  {
    start_seconds: Type.Number({
      minimum: 0,
      description: 'Where a chapter could start, in seconds with milliseconds; always the start of a frame.',
      examples: [15.88],
    }),
    kind: Type.String({
      description:
        '`scene`: the picture changes suddenly. `pause`: sound starts again after a pause of at least a second. Later versions may add others.',
      examples: ['scene'],
    }),
    pause_seconds: nullable(Type.Number({ minimum: 0 }), 'Duration of the pause before it; null for other kinds.'),
  },
  { title: 'ChapterProposal' },
)

const Trim = Type.Object(
  { start_seconds: Type.Number({ minimum: 0 }), end_seconds: Type.Number({ minimum: 0 }) },
  { title: 'TrimProposal' },
)

export const ChapterProposals = Type.Object(
  {
    proposals: Type.Array(Proposal, {
      description:
        'Ordered by start; empty until processing is complete, and for videos that were processed by an older release.',
    }),
    trim: nullable(
      Trim,
      'A trim that leaves out the silence at the beginning and end; null if there is no silence at either end.',
    ),
  },
  { title: 'ChapterProposals' },
)
export type ChapterProposals = Type.Static<typeof ChapterProposals>

export const readChapterProposals = {
  ...shared,
  id: 'readChapterProposals',
  method: 'GET',
  path: '/assets/:asset_id/chapters/proposals/',
  summary: 'Retrieve proposals for chapters',
  description:
    'Returns where chapters could start: up to 60 scene changes and the 100 longest pauses of the current version, found when it was processed. They are proposals only; nothing adds them to the chapters by itself. Scene changes of videos protected by DRM are only as exact as keyframes, which are two seconds apart.',
  scopes: ['assets:read'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: ChapterProposals,
  },
  errors: ['asset_not_found'],
} as const satisfies Operation

const TranscriptProposal = Type.Object(
  {
    start_seconds: Type.Number({ minimum: 0, description: 'Where the topic begins, in seconds with milliseconds.' }),
    title: nullable(
      Type.String(),
      'A title in the language of the transcript: from the model, or words that are typical of the part; null if there are none.',
    ),
  },
  { title: 'TranscriptProposal' },
)

export const TranscriptProposals = Type.Object(
  {
    proposals: Type.Array(TranscriptProposal, {
      description: 'Ordered by start; empty if the video has no subtitles.',
    }),
    found_by: nullable(
      Type.String({ examples: ['words'] }),
      'How the topics were found. `model`: a language model divided the transcript. `meanings` or `words`: neighboring parts were compared by meaning or by words, and long pauses were taken into account. Null if the video has no subtitles. Later versions may add others.',
    ),
    language: nullable(Type.String(), 'Language of the transcript as a BCP 47 tag; null if it is not known.'),
  },
  { title: 'TranscriptProposals' },
)
export type TranscriptProposals = Type.Static<typeof TranscriptProposals>

export const proposeChapters = {
  ...shared,
  id: 'proposeChapters',
  method: 'POST',
  path: '/assets/:asset_id/chapters/proposals/',
  summary: 'Propose chapters from the transcript',
  description:
    'Returns where the topic of the longest subtitle track changes, with titles. If the service has a language model, the transcript is sent to it, and the request can take a minute; if the model is busy or does not answer, the parts of the transcript are compared instead. They are proposals only: nothing is stored, and nothing adds them to the chapters by itself. Let a person check them, because the transcript and the model may be wrong.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: TranscriptProposals },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const operations = [
  addChapters,
  listChapters,
  readChapter,
  deleteChapter,
  editChapter,
  replaceChapters,
  importChapters,
  exportChapters,
  readFoundChapters,
  readChapterProposals,
  proposeChapters,
] as const
