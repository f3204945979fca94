/** All chapters of a video with their entity tag, read and replaced as a whole. */
import type { Reelkeep } from 'reelkeep'
import { hasCode } from '../../../api/request.ts'
import type { Chapters } from '../chapters/chapter-edits.ts'
import type { BaseChapter } from './chapter-merge.ts'
import { mergeChapters, type SavedChapter } from './chapter-merge.ts'

export type ChapterSet = { readonly etag: string; readonly chapters: readonly SavedChapter[] }

/** The API allows 500 chapters, in pages of at most 100. */
const PAGE = 100
/** Reads again if the chapters change between two pages, and saves again if they change between reading and saving. */
const ATTEMPTS_MAX = 5

type ApiChapter = { readonly id: number; readonly title: string; readonly start_seconds: number }

const toSaved = ({ id, title, start_seconds: start }: ApiChapter): SavedChapter => ({
  ...{ id, title },
  startMs: Math.round(start * 1000),
})

export async function readChapterSet(client: Reelkeep, assetId: string, signal?: AbortSignal): Promise<ChapterSet> {
  for (let attempt = 1; ; attempt++) {
    const chapters: SavedChapter[] = []
    const tags = new Set<string>()
    let cursor: string | null | undefined
    do {
      const query = { limit: PAGE, ...(cursor && { cursor }) }
      const page = await client.chapters.list(assetId, query, signal && { signal })
      tags.add(page.etag ?? '')
      chapters.push(...page.results.map(toSaved))
      cursor = page.nextCursor
    } while (cursor)
    const [etag = ''] = tags
    if (tags.size === 1 || attempt === ATTEMPTS_MAX) return { etag, chapters }
  }
}

async function replaceChapters(client: Reelkeep, assetId: string, chapters: Chapters, etag: string) {
  const body = { chapters: chapters.map(({ title, startMs }) => ({ title, start_seconds: startMs / 1000 })) }
  const { results, etag: saved } = await client.chapters.replace(assetId, body, { ifMatch: etag })
  return { etag: saved ?? '', chapters: results.map(toSaved) }
}

/** A saved state in this editor. */
export type Base = { readonly etag: string; readonly chapters: readonly BaseChapter[] }

type SaveResult =
  | { readonly kind: 'saved'; readonly base: Base; readonly theirChanges: number }
  | { readonly kind: 'conflict'; readonly latest: ChapterSet }

type Save = { readonly client: Reelkeep; readonly assetId: string; readonly base: Base; readonly mine: Chapters }

/**
 * Saves all chapters in one request. If another editor has saved in the meantime, the changes of both are combined and
 * saved. If they contradict, nothing is saved, and what the other editor has saved is returned.
 */
export async function saveChapters({ client, assetId, base, mine }: Save): Promise<SaveResult> {
  let [current, chapters, theirChanges] = [base, mine, 0]
  for (let attempt = 1; ; attempt++) {
    try {
      const saved = await replaceChapters(client, assetId, chapters, current.etag)
      const keys = new Map(chapters.map(({ startMs, key }) => [startMs, key]))
      const withKeys = saved.chapters.map((chapter) => ({ ...chapter, key: keys.get(chapter.startMs) ?? '' }))
      return { kind: 'saved', base: { etag: saved.etag, chapters: withKeys }, theirChanges }
    } catch (error) {
      if (!hasCode(error, 'changed_meanwhile') || attempt === ATTEMPTS_MAX) throw error
      const latest = await readChapterSet(client, assetId)
      const merge = mergeChapters({ base: current.chapters, mine: chapters, theirs: latest.chapters })
      if (merge.conflicts.length > 0) return { kind: 'conflict', latest }
      current = { etag: latest.etag, chapters: merge.base }
      chapters = merge.chapters
      theirChanges += merge.theirChanges
    }
  }
}
