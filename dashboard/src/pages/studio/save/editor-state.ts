/** The state of the chapter editor and its changes, without requests. */
import { areSame, type Chapters } from '../chapters/chapter-edits.ts'
import {
  type BaseChapter,
  type Choice,
  keyOfSaved,
  type Merge,
  mergeChapters,
  resolveConflicts,
} from './chapter-merge.ts'
import type { Base, ChapterSet } from './chapter-set.ts'
import type { Draft } from './drafts.ts'
import { changed, type History, historyOf } from './edit-history.ts'

export type PendingMerge = { readonly etag: string; readonly merge: Merge }

export type EditorState = {
  readonly base: Base
  readonly history: History<Chapters>
  /** The chapter that keys change. */
  readonly selected: string | undefined
  /** Conflicts that the user has to decide. */
  readonly pending: PendingMerge | undefined
}

/** Saved chapters as they are edited. */
export const withoutIds = (chapters: readonly BaseChapter[]): Chapters =>
  chapters.map(({ key, title, startMs }) => ({ key, title, startMs }))

/** The saved chapters, or the draft of the user if it has changes. */
export function initialState({ etag, chapters }: ChapterSet, draft: Draft | undefined): EditorState {
  const saved = chapters.map((chapter) => ({ ...chapter, key: keyOfSaved(chapter.id) }))
  const isUsed = draft !== undefined && !areSame(draft.base, draft.chapters)
  const base = isUsed ? { etag: draft.etag, chapters: draft.base } : { etag, chapters: saved }
  const present = isUsed ? draft.chapters : withoutIds(saved)
  return { base, history: historyOf(present), selected: present[0]?.key, pending: undefined }
}

export const isChanged = ({ base, history }: EditorState) => !areSame(base.chapters, history.present)

/** Changes the chapters as one step of undo. Changes with the same step in a row are one. */
export const edit =
  (change: (chapters: Chapters) => Chapters, step?: string) =>
  (state: EditorState): EditorState => ({
    ...state,
    history: changed(state.history, change(state.history.present), step),
  })

/** Shows what someone else has saved. Unsaved changes stay, until they are saved. */
export const adopt =
  (latest: ChapterSet) =>
  (state: EditorState): EditorState => {
    if (latest.etag === state.base.etag || isChanged(state)) return state
    const { base } = mergeChapters({ base: state.base.chapters, mine: state.history.present, theirs: latest.chapters })
    return { ...state, base: { etag: latest.etag, chapters: base }, history: historyOf(withoutIds(base)) }
  }

/** After saving. `sent` is what was sent first; the user may have changed more in the meantime. */
export const saved =
  (base: Base, sent: Chapters, theirChanges: number) =>
  (state: EditorState): EditorState => {
    const { history } = state
    const isSame = history.present === sent
    if (isSame && theirChanges === 0) return { ...state, base, pending: undefined }
    const ids = new Map(base.chapters.map(({ key, id }) => [key, id]))
    const from = sent.map((chapter, index) => ({ ...chapter, id: ids.get(chapter.key) ?? -index - 1 }))
    const merge = mergeChapters({ base: from, mine: history.present, theirs: base.chapters })
    if (merge.conflicts.length > 0) return { ...state, base, pending: { etag: base.etag, merge } }
    // Earlier states do not have the changes of the other editor: undo would remove them.
    const rest = theirChanges > 0 ? historyOf(merge.chapters) : { ...history, present: merge.chapters }
    return { ...state, base, history: rest, pending: undefined }
  }

/**
 * After a refused save: changes of someone else contradict those of the user. Compares everything that the user has
 * changed until now, also while it was being saved.
 */
export const contradicted =
  (latest: ChapterSet) =>
  (state: EditorState): EditorState => {
    const merge = mergeChapters({ base: state.base.chapters, mine: state.history.present, theirs: latest.chapters })
    if (merge.conflicts.length > 0) return { ...state, pending: { etag: latest.etag, merge } }
    const base = { etag: latest.etag, chapters: merge.base }
    return { ...state, base, history: historyOf(merge.chapters), pending: undefined }
  }

/** Applies the decisions about conflicts. The result is not saved yet. */
export const decide =
  (choices: ReadonlyMap<string, Choice>, nextStart: (ms: number) => number) =>
  (state: EditorState): EditorState => {
    if (!state.pending) return state
    const merge = resolveConflicts(state.pending.merge, choices, nextStart)
    if (merge.conflicts.length > 0) return { ...state, pending: { ...state.pending, merge } }
    const base = { etag: state.pending.etag, chapters: merge.base }
    return { ...state, base, history: historyOf(merge.chapters), pending: undefined }
  }
