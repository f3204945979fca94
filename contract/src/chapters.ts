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

/** In the order of the reference. */
export const operations = [addChapters, listChapters, deleteChapter] as const
