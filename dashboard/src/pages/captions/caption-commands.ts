import { useLingui } from '@lingui/react/macro'
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useToast } from '../../app/toasts.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { frameAt, frameStart, lastFrameStart } from '../studio/timeline/frames.ts'
import { exactTime } from '../studio/times.ts'
import { useCaptions } from './captions-context.tsx'
import {
  type Cue,
  type Cues,
  indexAt,
  insertedCue,
  mergedWithNext,
  movedCue,
  splitCue,
  withTimes,
} from './cues/cue-list.ts'
import { newCueKey } from './save/caption-state.ts'

/** A field of a cue that is to get the focus. */
export type FocusRequest = { readonly key: string; readonly field: 'text' | 'speaker'; readonly caret?: number }

type Edge = 'startMs' | 'endMs'

const JUMP = 'li[aria-current] [data-jump]'

/** Selects another cue. If the row of the selected one has the focus, the new one gets it, before the next key. */
function selectWithFocus(select: () => void): void {
  const hasFocus = document.activeElement?.matches(JUMP)
  flushSync(select)
  if (hasFocus) document.querySelector<HTMLElement>(JUMP)?.focus({ preventScroll: true })
}

type Nudge = { readonly edge: Edge | 'both'; readonly frames: number; readonly rate: number }

function nudged(cue: Cue, { edge, frames, rate }: Nudge) {
  const from = frameAt(rate, cue[edge === 'both' ? 'startMs' : edge])
  const to = frameStart(rate, Math.max(0, from + frames))
  const change = (cues: Cues) =>
    edge === 'both' ? movedCue(cues, cue.key, to - cue.startMs) : withTimes(cues, cue.key, { [edge]: to })
  return { to, change }
}

/** The value of the last render, for functions that stay the same. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}

/**
 * The commands of buttons and shortcuts, for the selected cue and the playhead. The commands stay the same, so that rows of the
 * list need not be rendered again; they always use the latest cues.
 */
export function useCaptionCommands() {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { video, playhead } = useTimelineTools()
  const toast = useToast()
  const [focused, setFocused] = useState<FocusRequest>()
  const latest = useLatest(editor)
  const { actions } = editor

  const commands = useMemo(() => {
    const cues = () => latest.current.cues
    const selected = () => latest.current.selected
    const show = ({ key, startMs }: Pick<Cue, 'key' | 'startMs'>) => {
      selectWithFocus(() => actions.select(key))
      playhead.seek(startMs)
    }
    return {
      show,
      endFocus: () => setFocused(undefined),
      focus: (field: FocusRequest['field'], key = selected()?.key) => {
        if (key !== undefined) setFocused({ key, field })
      },
      /** Goes to the cue before or after the selected one. */
      go: (direction: -1 | 1, from = selected()?.key) => {
        const list = cues()
        const index = from === undefined ? indexAt(list, playhead.ms) : list.findIndex(({ key }) => key === from)
        const target = list[Math.max(0, Math.min(list.length - 1, index + direction))]
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
      split: (key = selected()?.key, atCharacter?: number) => {
        const cue = cues().find((one) => one.key === key)
        if (!cue || key === undefined) return
        const second = newCueKey()
        const place = atCharacter === undefined ? { atMs: playhead.frameMs } : { atCharacter }
        const result = splitCue(cues(), { key, newKey: second, ...place })
        if (result === cues()) {
          toast(t`The caption at ${exactTime(cue.startMs)} is too short to be split.`)
          return
        }
        actions.change(() => result)
        actions.select(second)
        if (atCharacter !== undefined) setFocused({ key: second, field: 'text', caret: 0 })
      },
      merge: (key = selected()?.key) => {
        if (key !== undefined) actions.change((current) => mergedWithNext(current, key))
      },
      remove: (key = selected()?.key) => {
        if (key !== undefined) actions.remove(key)
      },
      /** Sets the start or the end of the selected cue to the playhead. */
      setToPlayhead: (edge: Edge) => {
        const key = selected()?.key
        if (key !== undefined) actions.change((current) => withTimes(current, key, { [edge]: playhead.frameMs }))
      },
      /** Moves the end or the whole cue by frames, and shows the frame. */
      nudge: (edge: Edge | 'both', frames: number, isRepeated = false) => {
        const cue = selected()
        if (!cue) return
        if (!isRepeated) actions.endStep()
        const { to, change } = nudged(cue, { edge, frames, rate: video.rate })
        actions.change(change, `nudge ${edge} ${cue.key}`)
        playhead.seek(edge === 'endMs' ? lastFrameStart(video.rate, to) : to)
      },
      /** Plays from the start of the selected cue. */
      play: () => {
        const cue = selected()
        if (cue) playhead.seek(cue.startMs)
        if (!playhead.isPlaying) playhead.toggle()
      },
    }
  }, [actions, latest, playhead, video, toast, t])
  return { commands, focused }
}

export type CaptionCommands = ReturnType<typeof useCaptionCommands>['commands']
