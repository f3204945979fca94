/** What chapters tell: one event for each kind of change, with all the chapters that it touched. */
import type { AssetId } from '../../kernel/ids.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import type { Change, Chapter, ChapterSet } from './chapters.rules.ts'
import { toChapter } from './chapters.wire.ts'

/** What goes is told first: its start may be another's then. */
export function eventsOf(
  assetId: AssetId,
  { chapters }: ChapterSet,
  { removedIds, written }: Change,
): NewEvent[] {
  const before = new Map(chapters.map((chapter) => [chapter.id, chapter]))
  const removed = chapters.filter(({ id }) => removedIds.includes(id))
  const updated = written.filter((chapter) => isOther(chapter, before.get(chapter.id)))
  const created = written.filter(({ id }) => !before.has(id))
  return [
    ...told('chapter.deleted', assetId, removed),
    ...told('chapter.updated', assetId, updated),
    ...told('chapter.created', assetId, created),
  ]
}

const isOther = ({ title, startSeconds }: Chapter, before: Chapter | undefined) =>
  before !== undefined && (before.title !== title || before.startSeconds !== startSeconds)

type Kind = 'chapter.deleted' | 'chapter.updated' | 'chapter.created'

const told = (type: Kind, assetId: AssetId, touched: readonly Chapter[]): NewEvent[] =>
  touched.length === 0
    ? []
    : [aboutAsset(assetId, { type, data: { asset_id: assetId, chapters: touched.map(toChapter) } })]
