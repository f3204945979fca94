import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { useVideo } from '../../video/video-context.tsx'
import { partKey } from '../../video/video-data.ts'
import { areSame, type Chapter, type Chapters, moved, nudged, removed, renamed } from '../chapters/chapter-edits.ts'
import { frameAt, frameStart } from '../timeline/frames.ts'
import type { Video } from '../timeline/zoom.ts'
import type { Choice } from './chapter-merge.ts'
import { type ChapterSet, readChapterSet, saveChapters } from './chapter-set.ts'
import { type Draft, type DraftKey, deleteDraft, readDraft, writeDraft } from './drafts.ts'
import { ended, redone, undone } from './edit-history.ts'
import {
  adopt,
  contradicted,
  decide,
  type EditorState,
  edit,
  initialState,
  isChanged,
  saved,
  withoutIds,
} from './editor-state.ts'

export function useChapterSet() {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    queryKey: partKey(organization, asset.id, 'chapter-set'),
    queryFn: ({ signal }) => readChapterSet(client, asset.id, signal),
  })
}

/** Start of the names of steps that are drags. */
const MOVE_STEP = 'move '

type Update = (change: (state: EditorState) => EditorState) => void

/** Keys of new chapters are unique among all drafts of this browser. */
export const newKey = () => `new-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`

const actionsOf = (update: Update, video: Video) => {
  const change = (changeChapters: (chapters: Chapters) => Chapters, step?: string) => update(edit(changeChapters, step))
  const onHistory = (move: typeof undone<Chapters>) => () =>
    update((state) => ({ ...state, history: move(state.history) }))
  const select = (key: string | undefined) =>
    update((state) => (state.selected === key ? state : { ...state, selected: key }))
  return {
    change,
    select,
    /** Until `endStep`, all changes of a title are one step of undo. */
    rename: (key: string, title: string) =>
      change((chapters) => {
        const result = renamed(chapters, key, title)
        return areSame(result, chapters) ? chapters : result
      }, `title ${key}`),
    /** Until `endStep`, all moves of a chapter are one step of undo. */
    move: (key: string, startMs: number) =>
      change((chapters) => moved(chapters, { key, startMs }, video), `${MOVE_STEP}${key}`),
    nudge: (key: string, frames: number, isRepeated = false) => {
      if (!isRepeated) onHistory(ended)()
      change((chapters) => nudged(chapters, { key, frames }, video), `nudge ${key}`)
    },
    endStep: onHistory(ended),
    remove: (key: string) =>
      update((state) => {
        const { present } = state.history
        const index = present.findIndex((chapter) => chapter.key === key)
        const neighbor: Chapter | undefined = present[index + 1] ?? present[index - 1]
        return { ...edit((chapters) => removed(chapters, key))(state), selected: neighbor?.key }
      }),
    undo: onHistory(undone),
    redo: onHistory(redone),
    /** Back to the saved chapters. */
    discard: () => update((state) => edit(() => withoutIds(state.base.chapters))({ ...state, pending: undefined })),
    closeConflicts: () => update((state) => ({ ...state, pending: undefined })),
  }
}

export type EditorActions = ReturnType<typeof actionsOf>

const isDragging = ({ step }: EditorState['history']) => step?.startsWith(MOVE_STEP) === true

const applied = (state: EditorState, change: (state: EditorState) => EditorState) => change(state)

/** The chapters that are edited, their draft in the browser, and how they are saved. */
export function useEditor(initial: ChapterSet, video: Video) {
  const { id: organization, membership } = useOrganization()
  const { asset } = useVideo()
  const [draftKey] = useState({ organization, member: membership.member_id, asset: asset.id })
  const [draft] = useState(() => usableDraft(readDraft(localStorage, draftKey)))
  const [state, update] = useReducer(applied, undefined, () => initialState(initial, draft))
  const [isRestored, setRestored] = useState(draft !== undefined)
  const actions = useMemo(() => actionsOf(update, video), [video])
  const { data: latest } = useChapterSet()
  const { mutateAsync: save, isPending: isSaving } = useSave(update)
  const isDirty = isChanged(state)
  useEffect(() => {
    if (latest && !isSaving && !isDirty) update(adopt(latest))
  }, [latest, isSaving, isDirty])
  useDraft(draftKey, state, isDirty)
  return {
    state,
    chapters: state.history.present,
    selected: state.history.present.find(({ key }) => key === state.selected),
    isDirty,
    isSaving,
    isDragging: isDragging(state.history),
    /** Someone else has saved since the user started. */
    isOutdated: isDirty && !isSaving && latest !== undefined && latest.etag !== state.base.etag,
    /** Whether the unsaved changes are from an earlier visit. */
    isRestored: isRestored && isDirty,
    hideRestored: () => setRestored(false),
    actions,
    save: () => (isSaving ? Promise.resolve(false) : save(state)),
    /** Applies the decisions about conflicts and saves, unless they lead to another conflict. */
    decide: async (choices: ReadonlyMap<string, Choice>) => {
      const next = decide(choices, (ms) => frameStart(video.rate, frameAt(video.rate, ms) + 1))(state)
      update(() => next)
      if (!next.pending) await save(next)
    },
  }
}

export type Editor = ReturnType<typeof useEditor>

const usableDraft = (draft: Draft | undefined) => (draft && !areSame(draft.base, draft.chapters) ? draft : undefined)

/** Keeps unsaved changes in the browser, and removes them when they are saved. A drag is kept when it ends. */
function useDraft(key: DraftKey, { base, history }: EditorState, isDirty: boolean): void {
  useEffect(() => {
    if (isDragging(history)) return
    const { etag, chapters } = base
    if (!isDirty) deleteDraft(localStorage, key)
    else
      writeDraft(localStorage, key, { ...{ etag, base: chapters }, chapters: history.present, changedAt: Date.now() })
  }, [key, base, history, isDirty])
}

/** Resolves with whether everything is saved. Failures are shown as messages. */
function useSave(update: Update) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, player } = useVideo()
  const toast = useToast()
  return useMutation({
    mutationFn: async ({ base, history: { present: mine } }: EditorState) => {
      const result = await saveChapters({ client, assetId: asset.id, base, mine })
      if (result.kind === 'conflict') {
        update(contradicted(result.latest))
        return false
      }
      update(saved(result.base, mine, result.theirChanges))
      queryClient.setQueryData<ChapterSet>(partKey(organization, asset.id, 'chapter-set'), result.base)
      void queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'chapters') })
      void player.current?.refresh?.()
      toast(result.theirChanges > 0 ? t`Saved, together with changes of someone else.` : t`Chapters saved.`)
      return true
    },
    onError: useProblemToast(),
  })
}
