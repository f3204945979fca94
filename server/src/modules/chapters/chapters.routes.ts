import { chapters as contract, type Page } from '@reelkeep/contract'
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
  replaceChapters,
} from './chapters.ts'
import { toChapter, toNewChapter } from './chapters.wire.ts'
import { parseTimecode } from './timecodes.rules.ts'

export function registerChapterRoutes(api: Api, threads: ThreadPool): void {
  route(api, contract.addChapters, async ({ db, params, body }) =>
    toSinglePage(await addChapters(db, params.asset_id as AssetId, body.chapters.map(fromWire))),
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

  route(api, contract.editChapter, async ({ db, params, body: { title, start_time } }) => {
    const startSeconds = start_time === undefined ? undefined : toSeconds(start_time)
    const { asset_id, chapter_id } = params
    return toChapter(await editChapter(db, asset_id as AssetId, chapter_id, { title, startSeconds }))
  })

  route(api, contract.replaceChapters, async ({ db, params, headers, body, setVersion }) => {
    const { chapters, version } = await replaceChapters(db, params.asset_id as AssetId, {
      chapters: body.chapters.map(fromWire),
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
}

const files = {
  webvtt: { mediaType: 'text/vtt', extension: 'vtt' },
  lines: { mediaType: 'text/plain', extension: 'txt' },
  podcasting: { mediaType: 'application/json+chapters', extension: 'json' },
  ffmetadata: { mediaType: 'text/plain', extension: 'ffmetadata.txt' },
} as const satisfies Record<contract.ChapterFormat, object>

const fromWire = ({ title, start_time }: contract.NewChapter): NewChapter => ({
  title,
  startSeconds: toSeconds(start_time),
})

function toSeconds(text: string): number {
  const seconds = parseTimecode(text)
  if (seconds === undefined) throw new Error(`Invalid time passed the contract: ${text}`)
  return seconds
}

/** All chapters as a list response with a single page. */
const toSinglePage = (chapters: readonly Chapter[]): Page<contract.Chapter> => ({
  count: chapters.length,
  next: null,
  previous: null,
  results: chapters.map(toChapter),
})
