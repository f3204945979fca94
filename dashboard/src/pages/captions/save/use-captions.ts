import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { ended, redone, undone } from '../../studio/save/edit-history.ts'
import { useVideo } from '../../video/video-context.tsx'
import { partKey } from '../../video/video-data.ts'
import { type Cue, type Cues, withoutCue, withSpeaker, withText } from '../cues/cue-list.ts'
import { readCaptions, saveCaptions } from './caption-requests.ts'
import {
  adoptCaptions,
  type CaptionState,
  contradictedCaptions,
  decideCaptions,
  editCues,
  hasChanges,
  initialCaptions,
  type SavedCaptions,
  savedCaptions,
} from './caption-state.ts'
import type { CueChoice } from './cue-merge.ts'

const captionsKey = (organization: string, assetId: string, trackId: string) =>
  [...partKey(organization, assetId, 'captions'), trackId] as const

/** The saved text of a track. Nothing is read without a track. */
export function useSavedCaptions(trackId: string | undefined) {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    queryKey: captionsKey(organization, asset.id, trackId ?? ''),
    enabled: trackId !== undefined,
    queryFn: ({ signal }) => readCaptions({ client, assetId: asset.id, trackId: trackId ?? '' }, signal),
  })
}

type Update = (change: (state: CaptionState) => CaptionState) => void

const actionsOf = (update: Update) => {
  const change = (changeCues: (cues: Cues) => Cues, step?: string) => update(editCues(changeCues, step))
  const onHistory = (move: typeof undone<Cues>) => () => update((state) => ({ ...state, history: move(state.history) }))
  const select = (key: string | undefined) =>
    update((state) => (state.selected === key ? state : { ...state, selected: key }))
  return {
    change,
    select,
    /** Until `endStep`, all changes of a text are one step of undo. */
    write: (key: string, text: string) => change((cues) => withText(cues, key, text), `text ${key}`),
    nameSpeaker: (key: string, speaker: string) => change((cues) => withSpeaker(cues, key, speaker), `speaker ${key}`),
    endStep: onHistory(ended),
    remove: (key: string) =>
      update((state) => {
        const { present } = state.history
        const index = present.findIndex((cue) => cue.key === key)
        const neighbor: Cue | undefined = present[index + 1] ?? present[index - 1]
        return { ...editCues((cues) => withoutCue(cues, key))(state), selected: neighbor?.key }
      }),
    undo: onHistory(undone),
    redo: onHistory(redone),
    /** Back to the saved cues. */
    discard: () => update((state) => editCues(() => state.base.cues)({ ...state, pending: undefined })),
    closeConflicts: () => update((state) => ({ ...state, pending: undefined })),
  }
}

export type CaptionActions = ReturnType<typeof actionsOf>

const applied = (state: CaptionState, change: (state: CaptionState) => CaptionState) => change(state)

/** The cues that are edited, and how they are saved. */
export function useCaptionEditor(trackId: string, initial: SavedCaptions) {
  const [state, update] = useReducer(applied, undefined, () => initialCaptions(initial))
  const actions = useMemo(() => actionsOf(update), [])
  const { data: latest } = useSavedCaptions(trackId)
  const { mutateAsync: save, isPending: isSaving } = useSave(trackId, update)
  const isDirty = hasChanges(state)
  useEffect(() => {
    if (latest && !isSaving && !isDirty) update(adoptCaptions(latest))
  }, [latest, isSaving, isDirty])
  const cues = state.history.present
  return {
    ...{ state, cues, isDirty, isSaving, actions },
    selected: useMemo(() => cues.find(({ key }) => key === state.selected), [cues, state.selected]),
    /** Someone else has saved since the user started. */
    isOutdated: isDirty && !isSaving && latest !== undefined && latest.etag !== state.base.etag,
    save: () => (isSaving ? Promise.resolve(false) : save(state)),
    /** Applies the decisions about conflicts and saves. */
    decide: async (choices: ReadonlyMap<string, CueChoice>) => {
      const next = decideCaptions(choices)(state)
      update(() => next)
      if (!next.pending) await save(next)
    },
  }
}

export type CaptionEditor = ReturnType<typeof useCaptionEditor>

/** Resolves with whether everything is saved. Failures are shown as messages. */
function useSave(trackId: string, update: Update) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, player } = useVideo()
  const toast = useToast()
  return useMutation({
    mutationFn: async ({ base, history: { present: sent } }: CaptionState) => {
      const result = await saveCaptions({ client, assetId: asset.id, trackId }, { base, mine: sent })
      if (result.kind === 'conflict') {
        update(contradictedCaptions(result.latest))
        return false
      }
      const { saved, theirChanges } = result
      update(savedCaptions({ saved, sent, theirChanges }))
      queryClient.setQueryData<SavedCaptions>(captionsKey(organization, asset.id, trackId), saved)
      void queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'subtitles') })
      void player.current?.refresh?.()
      toast(theirChanges > 0 ? t`Saved, together with changes of someone else.` : t`Captions saved as a new version.`)
      return true
    },
    onError: useProblemToast(),
  })
}
