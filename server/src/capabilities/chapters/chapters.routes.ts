import { chapters as contract, type Page } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import {
  addChapters,
  type Chapter,
  deleteChapter,
  isChapterSortKey,
  listChapters,
  type NewChapter,
} from './chapters.ts'
import { parseTimecode, toTimecode } from './timecodes.rules.ts'

export function registerChapterRoutes(api: Api): void {
  route(api, contract.addChapters, async ({ db, params, body }) =>
    toWhole(await addChapters(db, params.asset_id as AssetId, body.chapters.map(fromWire))),
  )

  route(api, contract.listChapters, async ({ db, params, query, address }) => {
    const request = pageRequestOf(query, isChapterSortKey)
    const page = await listChapters(db, params.asset_id as AssetId, request)
    return toPage(address, page, toChapter)
  })

  route(api, contract.deleteChapter, async ({ db, params }) => {
    await deleteChapter(db, params.asset_id as AssetId, params.chapter_id)
  })
}

const fromWire = ({ title, start_time }: contract.NewChapter): NewChapter => ({
  title,
  startSeconds: toSeconds(start_time),
})

function toSeconds(text: string): number {
  const seconds = parseTimecode(text)
  if (seconds === undefined) throw new Error(`The contract let a time pass that is none: ${text}`)
  return seconds
}

const toChapter = ({ id, title, startSeconds }: Chapter): contract.Chapter => ({
  id,
  title,
  start_time: toTimecode(startSeconds),
})

/** The envelope of chapters that are answered all at once. */
const toWhole = (chapters: readonly Chapter[]): Page<contract.Chapter> => ({
  count: chapters.length,
  next: null,
  previous: null,
  results: chapters.map(toChapter),
})
