import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useToast } from '../../app/toasts.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { frameAt, frameStart } from '../studio/timeline/frames.ts'
import { exactTime } from '../studio/times.ts'
import { useCaptions } from './captions-context.tsx'
import { type Cue, indexAt, insertedCue, mergedWithNext, movedCue, splitCue, withTimes } from './cues/cue-list.ts'
import { newCueKey } from './save/caption-state.ts'

/** A field of a cue that is to get the focus. */
export type FocusRequest = { readonly key: string; readonly field: 'text' | 'speaker'; readonly caret?: number }

type Edge = 'startMs' | 'endMs'

/** What buttons and shortcuts do with the selected cue and the playhead. */
export function useCaptionCommands() {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { video, playhead } = useTimelineTools()
  const toast = useToast()
  const [focused, setFocused] = useState<FocusRequest>()
  const { cues, selected, actions } = editor

  const show = ({ key, startMs }: Pick<Cue, 'key' | 'startMs'>) => {
    flushSync(() => actions.select(key))
    playhead.seek(startMs)
  }
  const frame = (ms: number, frames: number) => frameStart(video.rate, Math.max(0, frameAt(video.rate, ms) + frames))

  return {
    focused,
    endFocus: () => setFocused(undefined),
    show,
    focus: (field: FocusRequest['field'], key = selected?.key) => {
      if (key !== undefined) setFocused({ key, field })
    },
    /** Goes to the cue before or after the selected one. */
    go: (direction: -1 | 1, from = selected?.key) => {
      const index = from === undefined ? indexAt(cues, playhead.ms) : cues.findIndex(({ key }) => key === from)
      const target = cues[Math.max(0, Math.min(cues.length - 1, index + direction))]
      if (target) show(target)
      return target
    },
    /** A new cue at the playhead. */
    add: () => {
      const key = newCueKey()
      actions.change((current) => insertedCue(current, key, playhead.frameMs))
      actions.select(key)
      setFocused({ key, field: 'text' })
    },
    /** Splits the cue at a character, or at the playhead. The second part gets the caret, if the first one had it. */
    split: (key = selected?.key, atCharacter?: number) => {
      const cue = cues.find((one) => one.key === key)
      if (!cue || key === undefined) return
      const second = newCueKey()
      const place = atCharacter === undefined ? { atMs: playhead.frameMs } : { atCharacter }
      const result = splitCue(cues, { key, newKey: second, ...place })
      if (result === cues) {
        toast(t`The caption at ${exactTime(cue.startMs)} is too short to be split.`)
        return
      }
      actions.change(() => result)
      actions.select(second)
      if (atCharacter !== undefined) setFocused({ key: second, field: 'text', caret: 0 })
    },
    merge: (key = selected?.key) => {
      if (key !== undefined) actions.change((current) => mergedWithNext(current, key))
    },
    remove: (key = selected?.key) => {
      if (key !== undefined) actions.remove(key)
    },
    /** Sets the start or the end of the selected cue to the playhead. */
    setToPlayhead: (edge: Edge) => {
      if (selected) actions.change((current) => withTimes(current, selected.key, { [edge]: playhead.frameMs }))
    },
    /** Moves the start, the end or the whole cue by frames, and shows the frame. */
    nudge: (edge: Edge | 'both', frames: number, isRepeated = false) => {
      if (!selected) return
      if (!isRepeated) actions.endStep()
      const { key } = selected
      const to = frame(selected[edge === 'both' ? 'startMs' : edge], frames)
      const step = `nudge ${edge} ${key}`
      if (edge === 'both') actions.change((current) => movedCue(current, key, to - selected.startMs), step)
      else actions.change((current) => withTimes(current, key, { [edge]: to }), step)
      playhead.seek(edge === 'endMs' ? to - 1 : to)
    },
    /** Plays from the start of the selected cue. */
    play: () => {
      if (selected) playhead.seek(selected.startMs)
      if (!playhead.isPlaying) playhead.toggle()
    },
  }
}

export type CaptionCommands = ReturnType<typeof useCaptionCommands>
