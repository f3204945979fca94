/** Events about chapters: one per kind of change, with all chapters concerned. */
import type { AssetId } from '../../kernel/ids.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import type { Change, Chapter, ChapterSet } from './chapters.rules.ts'
import { toChapter } from './chapters.wire.ts'

/** Deletions come first, because a new chapter may start at the same second. */
export function eventsOf(assetId: AssetId, { chapters }: ChapterSet, { removedIds, written }: Change): NewEvent[] {
  const before = new Map(chapters.map((chapter) => [chapter.id, chapter]))
  const removed = chapters.filter(({ id }) => removedIds.includes(id))
  const updated = written.filter((chapter) => hasChanged(chapter, before.get(chapter.id)))
  const created = written.filter(({ id }) => !before.has(id))
  return [
    ...chapterEvents('chapter.deleted', assetId, removed),
    ...chapterEvents('chapter.updated', assetId, updated),
    ...chapterEvents('chapter.created', assetId, created),
  ]
}

const hasChanged = ({ title, startSeconds }: Chapter, before: Chapter | undefined) =>
  before !== undefined && (before.title !== title || before.startSeconds !== startSeconds)

type ChapterEventType = 'chapter.deleted' | 'chapter.updated' | 'chapter.created'

const chapterEvents = (type: ChapterEventType, assetId: AssetId, touched: readonly Chapter[]): NewEvent[] =>
  touched.length === 0
    ? []
    : [aboutAsset(assetId, { type, data: { asset_id: assetId, chapters: touched.map(toChapter) } })]
