import type { chapters as contract } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, type SortKey, toRowPage } from '../../platform/db/paging/keyset.ts'
import type { Parser, ThreadPool } from '../../platform/threads/thread-pool.ts'
import {
  type Asset,
  findProbed,
  findProposals,
  type Probed,
  requireAsset,
  shareLockAsset,
  wholeDurationOf,
} from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { writeChapterMoments } from '../moments/moments.ts'
import { eventsOf } from './chapters.events.ts'
import {
  added,
  applied,
  type Change,
  type Chapter,
  type ChapterSet,
  chapterNotFound,
  chaptersWithin,
  durationUnknown,
  type Edit,
  edited,
  type InputLocation,
  type ListedChapter,
  listed,
  type NewChapter,
  removed,
  replaced,
} from './chapters.rules.ts'
import * as store from './chapters.store.ts'
import type { ReadChapter } from './formats/format.rules.ts'
import {
  type ChapterText,
  type ParsedChapters,
  parseChapters,
  requireChapters,
  writeChapters,
} from './formats/formats.rules.ts'
import { foundChapters } from './found-chapters.rules.ts'

export type { Chapter, NewChapter }
export { chaptersWithin }

/** Lists are ordered by start, which is unique within a video. */
export const isChapterSortKey = ([start = '', ...rest]: SortKey) =>
  /^\d{1,6}(\.\d{1,3})?$/.test(start) && rest.length === 0

/** Adds all chapters or none, and returns them ordered by start. */
export async function addChapters(
  db: OrganizationDb,
  assetId: AssetId,
  additions: readonly NewChapter[],
): Promise<readonly Chapter[]> {
  const clean = additions.map(cleaned)
  const { change } = await changeSet(db, assetId, (asset, set) => added(asset, set, clean, inList))
  return change.written
}

export type Replacement = {
  readonly chapters: readonly NewChapter[]
  /** Throws unless the set that is replaced may have this version. */
  readonly assertVersion: (version: string) => void
}

/** Replaces all chapters, and returns them with their version. */
export async function replaceChapters(
  db: OrganizationDb,
  assetId: AssetId,
  { chapters, assertVersion }: Replacement,
): Promise<{ readonly chapters: readonly Chapter[]; readonly version: string }> {
  const clean = chapters.map(cleaned)
  const { after, version } = await changeSet(db, assetId, (asset, set) => {
    assertVersion(set.version)
    return replaced(asset, set, clean, inList)
  })
  return { chapters: after.chapters, version }
}

const chapterParser: Parser<ChapterText, ParsedChapters> = {
  file: new URL('./formats/formats.rules.ts', import.meta.url),
  parse: parseChapters,
}

/** Parses a text, in a thread if it is long: call it before a transaction begins. */
export async function parseImport(
  threads: ThreadPool,
  organizationId: OrganizationId,
  text: ChapterText,
): Promise<readonly ReadChapter[]> {
  return requireChapters(await threads.parse(organizationId, chapterParser, text))
}

export type ImportInput = { readonly found: readonly ReadChapter[]; readonly isReplacing: boolean }

/** Adds the chapters of a parsed text and returns them, or replaces all chapters and returns all. */
export async function importChapters(
  db: OrganizationDb,
  assetId: AssetId,
  { found, isReplacing }: ImportInput,
): Promise<readonly Chapter[]> {
  const chapters = found.map(({ title, startSeconds }) => ({ title, startSeconds }))
  const inText: InputLocation = {
    field: 'text',
    startAt: (index) => ({ field: 'text', name: `${found[index]?.position}:` }),
  }
  const decide = isReplacing ? replaced : added
  const { change, after } = await changeSet(db, assetId, (asset, set) => decide(asset, set, chapters, inText))
  return isReplacing ? after.chapters : change.written
}

/** All chapters as text. */
export async function exportChapters(
  db: OrganizationDb,
  assetId: AssetId,
  format: contract.ChapterFormat,
): Promise<string> {
  const asset = await requireAsset(db, assetId)
  // While the duration is unknown there are no chapters.
  return writeChapters(format, await store.selectAll(db, asset), whole(asset).durationSeconds ?? 0)
}

/** The asset with the duration of the whole video: chapters keep their times while the asset is trimmed. */
const whole = (asset: Asset): Asset =>
  asset.range ? { ...asset, durationSeconds: wholeDurationOf(asset.range) } : asset

/** All chapters, ordered by start. */
export async function readChapters(db: OrganizationDb, asset: Asset): Promise<readonly ListedChapter[]> {
  const chapters = await store.selectAll(db, asset)
  return chapters.map((chapter) => listed(chapter, whole(asset)))
}

/** WebVTT track for the player. The first cue starts at 0, because the player shows a gap where there is no cue. */
export function writeChapterTrack(chapters: readonly NewChapter[], durationSeconds: number) {
  const [first, ...others] = chapters
  const cues = first ? [{ ...first, startSeconds: 0 }, ...others] : []
  return writeChapters('webvtt', cues, durationSeconds)
}

/** The chapters found in the uploaded file, converted to valid chapters that can be added. */
export async function readFoundChapters(db: OrganizationDb, assetId: AssetId): Promise<readonly NewChapter[]> {
  const asset = await requireAsset(db, assetId)
  const probed = await findProbed(db, asset)
  if (!probed) throw durationUnknown(asset)
  return foundChapters(probed)
}

/** Where chapters could start. Null for a version without proposals. */
export const readProposals = async (db: OrganizationDb, assetId: AssetId) =>
  findProposals(db, await requireAsset(db, assetId))

/** Adds the chapters in the file unless the video already has chapters. Returns how many were added. */
export async function adoptFoundChapters(tx: OrganizationDb, asset: Asset, probed: Probed): Promise<number> {
  const set = await store.lockSet(tx, asset)
  const found = foundChapters(probed)
  if (set.chapters.length > 0 || found.length === 0) return 0
  const { durationSeconds } = probed
  await writeChange(tx, asset, set, added({ ...asset, durationSeconds }, set, found, inList))
  return found.length
}

export async function listChapters(
  db: OrganizationDb,
  assetId: AssetId,
  request: PageRequest,
): Promise<RowPage<ListedChapter> & { count: number; version: string }> {
  const asset = await requireAsset(db, assetId)
  const { rows, count, version } = await store.selectPage(db, asset, request)
  const shown = rows.map((chapter) => listed(chapter, whole(asset)))
  return { ...toRowPage(shown, request, ({ startSeconds }) => [String(startSeconds)]), count, version }
}

export async function readChapter(db: OrganizationDb, assetId: AssetId, id: number): Promise<ListedChapter> {
  const asset = await requireAsset(db, assetId)
  const chapter = await store.find(db, asset, id)
  if (!chapter) throw chapterNotFound()
  return listed(chapter, whole(asset))
}

export async function editChapter(
  db: OrganizationDb,
  assetId: AssetId,
  id: number,
  { title, ...start }: Edit,
): Promise<Chapter> {
  const edit = { title: title === undefined ? title : cleanTitle(title, 'title'), ...start }
  const { change } = await changeSet(db, assetId, (asset, set) => edited(asset, set, id, edit))
  const [chapter] = change.written
  if (!chapter) throw new Error('The edit wrote no chapter')
  return chapter
}

export async function deleteChapter(db: OrganizationDb, assetId: AssetId, id: number): Promise<void> {
  await changeSet(db, assetId, (_, set) => removed(set, id))
}

/**
 * Locks the set, decides on a change and writes it. The asset is locked against deletion but not updated: its
 * `updated_at` does not change with its chapters.
 */
async function changeSet(
  db: OrganizationDb,
  assetId: AssetId,
  decide: (asset: Asset, set: ChapterSet & store.Versioned) => Change,
): Promise<{ readonly change: Change; readonly after: ChapterSet; readonly version: string }> {
  return db.transaction(async (tx) => {
    const asset = await shareLockAsset(tx, assetId)
    const set = await store.lockSet(tx, asset)
    const change = decide(whole(asset), set)
    const version = await writeChange(tx, asset, set, change)
    return { change, after: applied(set, change), version }
  })
}

/** Writes the moments of chapters that are older than the search. The caller has locked the asset. */
export async function indexChapters(tx: OrganizationDb, asset: Asset): Promise<void> {
  // Changes lock the set and not the asset; without the lock, one that is under way would be overwritten.
  await store.lockSet(tx, asset)
  await writeChapterMoments(tx, asset.id)
}

/** Returns the version of the changed set. */
async function writeChange(tx: OrganizationDb, asset: Asset, before: ChapterSet, change: Change): Promise<string> {
  const version = await store.writeChange(tx, asset, change)
  await writeChapterMoments(tx, asset.id)
  await recordEvents(tx, ...eventsOf(asset.id, before, change))
  return version
}

const cleaned = ({ title, startSeconds }: NewChapter, index: number): NewChapter => ({
  title: cleanTitle(title, `chapters[${index}].title`),
  startSeconds,
})

const inList: InputLocation = {
  field: 'chapters',
  startAt: (index) => {
    const field = `chapters[${index}].start_time`
    return { field, name: field }
  },
}
