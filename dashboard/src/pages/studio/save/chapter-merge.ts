/**
 * Three-way merge of chapters: what two editors made of the same state. Changes of different chapters, and of title and
 * start of the same chapter, are combined. What cannot be combined is a conflict, which the user decides.
 */
import { type Chapter, type Chapters, type ChapterValues, isSameChapter, sorted } from '../chapters/chapter-edits.ts'
import { aloneBetween, type FieldConflict, mergeLists } from './three-way.ts'

/** A chapter as the API has it. */
export type SavedChapter = ChapterValues & { readonly id: number }
/** A saved chapter that was open in this editor: with its key. */
export type BaseChapter = SavedChapter & Chapter

/** `same-start`: two chapters start at the same time; `mine` and `theirs` are different chapters. */
export type Conflict = Omit<FieldConflict<Chapter>, 'kind' | 'base'> & {
  readonly kind: FieldConflict<Chapter>['kind'] | 'same-start'
  readonly base?: ChapterValues
}

export type Merge = {
  /** The saved state, which is the base of the next merge. */
  readonly base: readonly BaseChapter[]
  /** Everything that is not in a conflict. */
  readonly chapters: Chapters
  readonly conflicts: readonly Conflict[]
  /** Number of chapters that the other editor has added, changed or deleted. */
  readonly theirChanges: number
}

type Versions = {
  /** The saved state from which this editor started. */
  readonly base: readonly BaseChapter[]
  readonly mine: Chapters
  /** The saved state now. */
  readonly theirs: readonly SavedChapter[]
}

const fields = ['title', 'startMs'] as const

export function mergeChapters({ base, mine, theirs }: Versions): Merge {
  const newBase = keyed(base, mine, theirs)
  const { items, conflicts, theirChanges } = mergeLists<Chapter>({ base, mine, theirs: newBase }, fields)
  const separated = separateStarts(items, new Map(mine.map((chapter) => [chapter.key, chapter])))
  return {
    base: newBase,
    chapters: separated.chapters,
    conflicts: [...conflicts, ...separated.conflicts],
    theirChanges,
  }
}

/** The key of a chapter that another editor has added. */
export const keyOfSaved = (id: number) => `id-${id}`

/**
 * Gives the saved chapters the keys that they have in this editor. A replacement of all chapters gives a moved chapter
 * another id. It is found by its title, or because it is alone between two others in both states. A wrong match does
 * no harm: it can only turn a deletion and an addition into a change of the same chapter.
 */
function keyed(base: readonly BaseChapter[], mine: Chapters, theirs: readonly SavedChapter[]): readonly BaseChapter[] {
  const keys = new Map<SavedChapter, string>()
  const open = new Set(base)
  const match = (saved: SavedChapter, chapter: BaseChapter | undefined) => {
    if (!chapter || keys.has(saved)) return
    keys.set(saved, chapter.key)
    open.delete(chapter)
  }
  const ids = new Map(base.map((chapter) => [chapter.id, chapter]))
  for (const saved of theirs) match(saved, ids.get(saved.id))
  for (const saved of theirs) {
    const sameTitle = [...open].filter(({ title }) => title === saved.title)
    match(saved, sameTitle.length === 1 ? sameTitle[0] : undefined)
  }
  for (const [saved, chapter] of aloneBetween(base, theirs, keys)) match(saved, chapter)
  const used = new Set(base.map(({ key }) => key))
  return sorted(
    theirs.map((saved) => {
      // Both editors have added the same chapter.
      const twin = mine.find((chapter) => !used.has(chapter.key) && isSameChapter(chapter, saved))
      return { ...saved, key: keys.get(saved) ?? twin?.key ?? keyOfSaved(saved.id) }
    }),
  )
}

/** Two chapters cannot start at the same time: one of them was moved or added there by each editor. */
function separateStarts(chapters: Chapters, mine: ReadonlyMap<string, Chapter>) {
  const conflicts: Conflict[] = []
  const kept: Chapter[] = []
  for (const group of Map.groupBy(chapters, ({ startMs }) => startMs).values()) {
    const [first, second, ...others] = group
    if (!first || !second) {
      kept.push(...group)
      continue
    }
    // After the decision about these two, the remaining one is compared with the others.
    kept.push(...others)
    const isMine = mine.get(first.key)?.startMs === first.startMs
    const [own, other] = isMine ? [first, second] : [second, first]
    conflicts.push({ key: own.key, kind: 'same-start', mine: own, theirs: other })
  }
  return { chapters: sorted(kept), conflicts }
}

/** `both` only for chapters with the same start: mine then starts at the next free frame. */
export type Choice = 'mine' | 'theirs' | 'both'

/**
 * Applies the decisions of the user. If a chosen chapter starts at the same time as another one, the result has another
 * conflict. `nextStart` returns the start of the frame after a time.
 */
export function resolveConflicts(
  merge: Merge,
  choices: ReadonlyMap<string, Choice>,
  nextStart: (ms: number) => number,
): Merge {
  const open = merge.conflicts.filter(({ key }) => !choices.has(key))
  const starts = new Set(merge.chapters.map(({ startMs }) => startMs))
  const chosen = merge.conflicts.flatMap(({ key, kind, mine, theirs }) => {
    const choice = choices.get(key)
    if (choice === undefined) return []
    if (choice === 'both' && kind === 'same-start' && mine && theirs)
      return [theirs, { ...mine, startMs: freeStart(mine.startMs) }]
    const kept = choice === 'theirs' ? theirs : mine
    return kept ? [kept] : []
  })
  function freeStart(ms: number): number {
    let start = nextStart(ms)
    while (starts.has(start)) start = nextStart(start)
    return start
  }
  const preferred = new Map(merge.conflicts.flatMap(({ mine }) => (mine ? [[mine.key, mine] as const] : [])))
  const separated = separateStarts([...merge.chapters, ...chosen], preferred)
  return { ...merge, chapters: separated.chapters, conflicts: [...open, ...separated.conflicts] }
}
