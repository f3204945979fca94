import type { AssetId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import {
  type PageRequest,
  type RowPage,
  type SortKey,
  toRowPage,
} from '../../platform/db/keyset.ts'
import { type Asset, keepAsset, requireAsset } from '../assets/assets.ts'
import {
  added,
  type Change,
  type Chapter,
  type ChapterSet,
  type NewChapter,
  removed,
} from './chapters.rules.ts'
import * as store from './chapters.store.ts'

export type { Chapter, NewChapter }

/** The start alone: no two chapters of a video share one. */
export const isChapterSortKey = ([start = '', ...rest]: SortKey) =>
  /^\d{1,6}$/.test(start) && rest.length === 0

/** Adds all of the chapters or none; answers those, ordered by start. */
export async function addChapters(
  db: OrganizationDb,
  assetId: AssetId,
  additions: readonly NewChapter[],
): Promise<readonly Chapter[]> {
  const clean = additions.map(cleaned)
  const { change } = await changeSet(db, assetId, (asset, set) =>
    added(asset, set, clean, inChapters),
  )
  return change.written
}

export async function listChapters(
  db: OrganizationDb,
  assetId: AssetId,
  request: PageRequest,
): Promise<RowPage<Chapter> & { count: number }> {
  const asset = await requireAsset(db, assetId)
  const { rows, count } = await store.selectPage(db, asset, request)
  return { ...toRowPage(rows, request, ({ startSeconds }) => [String(startSeconds)]), count }
}

export async function deleteChapter(
  db: OrganizationDb,
  assetId: AssetId,
  id: number,
): Promise<void> {
  await changeSet(db, assetId, (_, set) => removed(set, id))
}

/**
 * Decides on the set as it is and writes what comes of it, while nobody else changes it. The asset stays until
 * that is done; it is not touched itself, because its `updated_at` tells of its own fields.
 */
async function changeSet(
  db: OrganizationDb,
  assetId: AssetId,
  decide: (asset: Asset, set: ChapterSet) => Change,
): Promise<{ readonly set: ChapterSet; readonly change: Change }> {
  return db.transaction(async (tx) => {
    const asset = await keepAsset(tx, assetId)
    const set = await store.lockSet(tx, asset)
    const change = decide(asset, set)
    await store.writeChange(tx, asset, change)
    return { set, change }
  })
}

const cleaned = ({ title, startSeconds }: NewChapter, index: number): NewChapter => ({
  title: cleanTitle(title, `chapters[${index}].title`),
  startSeconds,
})

function inChapters(index: number) {
  const field = `chapters[${index}].start_time`
  return { field, name: field }
}
