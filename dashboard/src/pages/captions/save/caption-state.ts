/** The state of the captions editor and its changes, without requests. */
import { changed, type History, historyOf } from '../../studio/save/edit-history.ts'
import { areSameCues, type Cues, type CueValues } from '../cues/cue-list.ts'
import { type CueChoice, type CueMerge, mergeCues, resolveCues, withKnownObjects } from './cue-merge.ts'

/** The saved text of a track. */
export type SavedCaptions = { readonly etag: string; readonly cues: readonly CueValues[] }

export type CaptionState = {
  /** The saved cues from which the user started. */
  readonly base: { readonly etag: string; readonly cues: Cues }
  readonly history: History<Cues>
  /** The cue that keys change. */
  readonly selected: string | undefined
  /** Conflicts that the user has to decide. */
  readonly pending: { readonly etag: string; readonly merge: CueMerge } | undefined
}

/** Keys of cues. They are unique in this editor only. */
let lastKey = 0
export const newCueKey = () => `cue-${++lastKey}`

export function initialCaptions({ etag, cues }: SavedCaptions): CaptionState {
  const keyed = cues.map((cue) => ({ ...cue, key: newCueKey() }))
  return { base: { etag, cues: keyed }, history: historyOf(keyed), selected: keyed[0]?.key, pending: undefined }
}

export const hasChanges = ({ base, history }: CaptionState) => !areSameCues(base.cues, history.present)

/** Changes the cues as one step of undo. Changes with the same step in a row are one. */
export const editCues =
  (change: (cues: Cues) => Cues, step?: string) =>
  (state: CaptionState): CaptionState => ({
    ...state,
    history: changed(state.history, change(state.history.present), step),
  })

/** Shows what someone else has saved. Unsaved changes stay, until they are saved. */
export const adoptCaptions =
  (latest: SavedCaptions) =>
  (state: CaptionState): CaptionState => {
    if (latest.etag === state.base.etag || hasChanges(state)) return state
    const { present } = state.history
    const { base } = mergeCues({ base: state.base.cues, mine: present, theirs: latest.cues, newKey: newCueKey })
    const cues = withKnownObjects(base, present)
    return { ...state, base: { etag: latest.etag, cues }, history: historyOf(cues) }
  }

type Saved = {
  readonly saved: SavedCaptions
  /** The captions of the user when saving began; more may have changed in the meantime. */
  readonly sent: Cues
  readonly theirChanges: number
}

export const savedCaptions =
  ({ saved, sent, theirChanges }: Saved) =>
  (state: CaptionState): CaptionState => {
    const { history } = state
    const merge = mergeCues({ base: sent, mine: history.present, theirs: saved.cues, newKey: newCueKey })
    const base = { etag: saved.etag, cues: withKnownObjects(merge.base, history.present) }
    if (merge.conflicts.length > 0) return { ...state, base, pending: { etag: saved.etag, merge } }
    const present = history.present === sent ? base.cues : withKnownObjects(merge.cues, history.present)
    // Earlier states do not have the changes of the other editor: undo would remove them.
    const rest = theirChanges > 0 ? historyOf(present) : { ...history, present }
    return { ...state, base, history: rest, pending: undefined }
  }

/**
 * After a refused save: changes of someone else contradict those of the user. Compares everything that the user has
 * changed until now, also while it was being saved.
 */
export const contradictedCaptions =
  (latest: SavedCaptions) =>
  (state: CaptionState): CaptionState => {
    const { present } = state.history
    const merge = mergeCues({ base: state.base.cues, mine: present, theirs: latest.cues, newKey: newCueKey })
    if (merge.conflicts.length > 0) return { ...state, pending: { etag: latest.etag, merge } }
    const cues = withKnownObjects(merge.cues, present)
    return { ...state, base: { etag: latest.etag, cues: merge.base }, history: historyOf(cues), pending: undefined }
  }

/** Applies the decisions about conflicts. The result is not saved yet. */
export const decideCaptions =
  (choices: ReadonlyMap<string, CueChoice>) =>
  (state: CaptionState): CaptionState => {
    if (!state.pending) return state
    const { etag } = state.pending
    const merge = resolveCues(state.pending.merge, choices)
    if (merge.conflicts.length > 0) return { ...state, pending: { etag, merge } }
    return { ...state, base: { etag, cues: merge.base }, history: historyOf(merge.cues), pending: undefined }
  }
