/** Suggestions for chapters, in groups by where they come from. */

import type { Chapters, ChapterValues } from '../chapters/chapter-edits.ts'
import { withoutExisting } from '../chapters/proposals.ts'

export type SuggestionKind = 'file' | 'topic' | 'scene' | 'pause' | 'even'

export type Suggestion = ChapterValues & {
  readonly kind: SuggestionKind
  /** Unique among all suggestions, also after the title was edited. */
  readonly key: string
}

export type SuggestionGroups = Readonly<Record<SuggestionKind, readonly Suggestion[]>>

/** Found in the video, so more useful than equal lengths, which are always possible. */
const foundKinds = ['file', 'topic', 'scene', 'pause'] as const satisfies readonly SuggestionKind[]

type Found = Readonly<Record<SuggestionKind, readonly ChapterValues[]>>

/** The suggestions that are not chapters yet, with the titles that the user has given them. */
export function groupsOf(found: Found, chapters: Chapters, titles: ReadonlyMap<string, string>): SuggestionGroups {
  const groupOf = (kind: SuggestionKind): readonly Suggestion[] =>
    withoutExisting(found[kind], chapters).map(({ title, startMs }) => {
      const key = `${kind} ${startMs}`
      return { kind, key, startMs, title: titles.get(key) ?? title }
    })
  return {
    ...{ file: groupOf('file'), topic: groupOf('topic'), scene: groupOf('scene') },
    ...{ pause: groupOf('pause'), even: groupOf('even') },
  }
}

/** The suggestions with a mark on the timeline, by start: equal lengths only if nothing was found in the video. */
export function markedOf(groups: SuggestionGroups): readonly Suggestion[] {
  const certain = foundKinds.flatMap((kind) => groups[kind])
  return (certain.length > 0 ? certain : groups.even).toSorted((one, other) => one.startMs - other.startMs)
}

type Place = { readonly startMs: number; readonly key: string | undefined }

/** The suggestion before or after the selected one, or if none is selected, before or after a time. */
export function neighborOf(
  list: readonly Suggestion[],
  { startMs: ms, key }: Place,
  direction: -1 | 1,
): Suggestion | undefined {
  const index = list.findIndex((suggestion) => suggestion.key === key)
  if (index >= 0) return list[index + direction]
  return direction === 1 ? list.find(({ startMs }) => startMs >= ms) : list.findLast(({ startMs }) => startMs < ms)
}
