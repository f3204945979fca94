import { chapters as contract, type Page } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, preparedRoute, route } from '../../platform/http/route.ts'
import type { ThreadPool } from '../../platform/threads/thread-pool.ts'
import {
  addChapters,
  type Chapter,
  deleteChapter,
  editChapter,
  exportChapters,
  importChapters,
  isChapterSortKey,
  listChapters,
  type NewChapter,
  parseImport,
  readChapter,
  readFoundChapters,
  readProposals,
  replaceChapters,
} from './chapters.ts'
import { toChapter, toNewChapter, toProposals, toTranscriptProposals } from './chapters.wire.ts'
import { parseTimecode, toTimecode } from './timecodes.rules.ts'
import type { ChapterModel } from './transcript/chapter-model.ts'
import { proposeChapters } from './transcript/transcript-proposals.ts'

type ChapterDeps = { readonly threads: ThreadPool; readonly chapterModel: ChapterModel | undefined }

export function registerChapterRoutes(api: Api, { threads, chapterModel }: ChapterDeps): void {
  route(api, contract.addChapters, async ({ db, params, body }) =>
    toSinglePage(await addChapters(db, params.asset_id as AssetId, fromWire(body.chapters))),
  )

  route(api, contract.listChapters, async ({ db, params, query, listUrl, setVersion }) => {
    const request = pageRequestOf(query, isChapterSortKey)
    const page = await listChapters(db, params.asset_id as AssetId, request)
    setVersion(page.version)
    return toPage(listUrl, page, toChapter)
  })

  route(api, contract.readChapter, async ({ db, params }) =>
    toChapter(await readChapter(db, params.asset_id as AssetId, params.chapter_id)),
  )

  route(api, contract.deleteChapter, async ({ db, params }) => {
    await deleteChapter(db, params.asset_id as AssetId, params.chapter_id)
  })

  route(api, contract.editChapter, async ({ db, params, body: { title, ...start } }) => {
    const edit = { title, startSeconds: startOf(start, 'start_time'), isExact: start.start_seconds !== undefined }
    const { asset_id, chapter_id } = params
    return toChapter(await editChapter(db, asset_id as AssetId, chapter_id, edit))
  })

  route(api, contract.replaceChapters, async ({ db, params, headers, body, setVersion }) => {
    const { chapters, version } = await replaceChapters(db, params.asset_id as AssetId, {
      chapters: fromWire(body.chapters),
      assertVersion: preconditionOf(headers),
    })
    setVersion(version)
    return toSinglePage(chapters)
  })

  preparedRoute(api, contract.importChapters, async ({ db, params, body }) => {
    const { format, text, replace: isReplacing = false } = body
    const found = await parseImport(threads, db.organizationId, { format, text })
    return {
      commit: async (tx) => toSinglePage(await importChapters(tx, params.asset_id as AssetId, { found, isReplacing })),
      rollback: () => Promise.resolve(),
    }
  })

  route(api, contract.exportChapters, async ({ db, params, query: { format = 'webvtt' } }) => {
    const { mediaType, extension } = files[format]
    const text = await exportChapters(db, params.asset_id as AssetId, format)
    return { mediaType, fileName: `chapters-${params.asset_id}.${extension}`, text }
  })

  route(api, contract.readFoundChapters, async ({ db, params }) => {
    const found = await readFoundChapters(db, params.asset_id as AssetId)
    return { chapters: found.map(toNewChapter) }
  })

  route(api, contract.readChapterProposals, async ({ db, params }) =>
    toProposals(await readProposals(db, params.asset_id as AssetId)),
  )

  route(api, contract.proposeChapters, async ({ db, params }) =>
    toTranscriptProposals(await proposeChapters(db, params.asset_id as AssetId, chapterModel)),
  )
}

const files = {
  webvtt: { mediaType: 'text/vtt', extension: 'vtt' },
  lines: { mediaType: 'text/plain', extension: 'txt' },
  podcasting: { mediaType: 'application/json+chapters', extension: 'json' },
  ffmetadata: { mediaType: 'text/plain', extension: 'ffmetadata.txt' },
} as const satisfies Record<contract.ChapterFormat, object>

const fromWire = (chapters: readonly contract.NewChapter[]): NewChapter[] =>
  chapters.map(({ title, ...start }, index) => {
    const startSeconds = startOf(start, `chapters[${index}].start_time`)
    if (startSeconds === undefined) throw new Error('A chapter without a start passed the contract')
    return { title, startSeconds }
  })

type Start = Pick<contract.NewChapter, 'start_time' | 'start_seconds'>

/** The start in seconds; undefined if neither field is given. */
function startOf({ start_time, start_seconds }: Start, field: string): number | undefined {
  const whole = start_time === undefined ? undefined : parseTimecode(start_time)
  if (start_seconds === undefined) return whole
  const exact = Math.round(start_seconds * 1000) / 1000
  if (whole === undefined || whole === Math.floor(exact)) return exact
  const detail = `\`${field}\` must be ${toTimecode(exact)}, the same time as \`start_seconds\`, or left out.`
  throw refused('invalid_request', detail, field)
}

/** All chapters as a list response with a single page. */
const toSinglePage = (chapters: readonly Chapter[]): Page<contract.Chapter> => ({
  count: chapters.length,
  next: null,
  previous: null,
  results: chapters.map(toChapter),
})
