import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useTimelineTools } from '../../studio/studio-context.tsx'
import { frameAt, frameStart, lastFrameStart, nearestFrameStart } from '../../studio/timeline/frames.ts'
import { exactTime } from '../../studio/times.ts'
import { useCaptions } from '../captions-context.tsx'
import { type Cue, withTimes } from '../cues/cue-list.ts'
import styles from './cue-timeline.module.css'

type Props = {
  readonly cue: Cue
  readonly pixelsPerSecond: number
  readonly msAt: (clientX: number) => number
}

/** Start and end of the selected caption: handles to drag, which are sliders for the keyboard. */
export function CueEdges({ cue, ...rest }: Props) {
  const { t } = useLingui()
  return (
    <>
      <Edge key={`${cue.key} start`} cue={cue} edge="startMs" label={t`Start of the caption`} {...rest} />
      <Edge key={`${cue.key} end`} cue={cue} edge="endMs" label={t`End of the caption`} {...rest} />
    </>
  )
}

type EdgeProps = Props & { readonly edge: 'startMs' | 'endMs'; readonly label: string }

const SHIFT_FRAMES = 10

function Edge({ cue, edge, label, pixelsPerSecond, msAt }: EdgeProps) {
  const { editor } = useCaptions()
  const { video, playhead } = useTimelineTools()
  const offset = useRef<number>(undefined)
  const { key } = cue
  const ms = cue[edge]
  const moveTo = (to: number) => {
    editor.actions.change((cues) => withTimes(cues, key, { [edge]: to }), `${edge} ${key}`)
    playhead.seek(edge === 'endMs' ? lastFrameStart(video.rate, to) : to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (!event.repeat) editor.actions.endStep()
    const frames = event.shiftKey ? SHIFT_FRAMES * direction : direction
    moveTo(frameStart(video.rate, Math.max(0, frameAt(video.rate, ms) + frames)))
  }
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    offset.current = ms - msAt(event.clientX)
    editor.actions.endStep()
  }
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (offset.current !== undefined) moveTo(nearestFrameStart(video.rate, msAt(event.clientX) + offset.current))
  }
  const end = () => {
    offset.current = undefined
    editor.actions.endStep()
  }
  return (
    <div
      role="slider"
      className={styles.edge}
      style={{ left: (ms / 1000) * pixelsPerSecond }}
      data-edge={edge}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(video.durationMs, ms) / 1000}
      aria-valuenow={ms / 1000}
      aria-valuetext={exactTime(ms)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
    />
  )
}
