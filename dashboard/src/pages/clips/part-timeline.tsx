import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, type RefObject, useMemo, useRef, useState } from 'react'
import { MARK_PAUSE_MS_MIN } from '../studio/chapters/proposals.ts'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { frameAt } from '../studio/timeline/frames.ts'
import { snapped } from '../studio/timeline/snapping.ts'
import { pausesOf } from '../studio/timeline/waveform.ts'
import { exactTime } from '../studio/times.ts'
import timeline from '../studio/view/timeline.module.css'
import { TimelineStage } from '../studio/view/timeline-stage.tsx'
import { Transport, ZoomButtons } from '../studio/view/transport.tsx'
import type { Zoom } from '../studio/view/use-zoom.ts'
import styles from './part.module.css'
import { type Edge, limitsOf } from './part.ts'
import type { PartState } from './use-part.ts'

type Props = {
  readonly state: PartState
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly zoom: Zoom
}

/** The part on the timeline of the video, with a handle at each end. What is left out is dimmed. */
export function PartTimeline({ state, scroller, zoom }: Props) {
  const { t } = useLingui()
  const { video } = useTimelineTools()
  const { pixelsPerSecond } = zoom
  const xOf = (ms: number) => (ms / 1000) * pixelsPerSecond
  const [start, end] = [xOf(state.ms('startFrame')), xOf(state.ms('endFrame'))]
  return (
    <>
      <div className={timeline.toolbar} role="toolbar" aria-label={t`Timeline tools`}>
        <Transport
          previous={t`To the start of the part`}
          next={t`To the end of the part`}
          onGo={(direction) => state.show(direction === -1 ? 'startFrame' : 'endFrame')}
        />
        <div className={timeline.toolsAtEnd}>
          <ZoomButtons zoom={zoom} />
        </div>
      </div>
      <TimelineStage {...{ scroller, zoom }}>
        {() => (
          <div className={styles.lane}>
            <div className={styles.left} style={{ width: start }} />
            <div className={styles.left} style={{ left: end, width: xOf(video.durationMs) - end }} />
            <div className={styles.part} style={{ left: start, width: end - start }} />
            <Handle {...{ state, pixelsPerSecond }} edge="startFrame" label={t`Start of the part`} />
            <Handle {...{ state, pixelsPerSecond }} edge="endFrame" label={t`End of the part`} />
          </div>
        )}
      </TimelineStage>
    </>
  )
}

type HandleProps = {
  readonly state: PartState
  readonly edge: Edge
  readonly label: string
  readonly pixelsPerSecond: number
}

function Handle({ state, edge, label, pixelsPerSecond }: HandleProps) {
  const { video } = useTimelineTools()
  const ms = state.ms(edge)
  const { isDragging, handlers } = useDrag({ state, edge, pixelsPerSecond })
  const { min, max } = limitsOf(state.part, edge, video)
  return (
    <div
      role="slider"
      className={styles.handle}
      style={{ left: (ms / 1000) * pixelsPerSecond }}
      data-edge={edge}
      data-dragging={isDragging || undefined}
      aria-label={label}
      aria-valuemin={min / video.rate}
      aria-valuemax={max / video.rate}
      aria-valuenow={state.part[edge] / video.rate}
      aria-valuetext={exactTime(ms)}
      tabIndex={0}
      onKeyDown={useHandleKeys(state, edge)}
      {...handlers}
    >
      {isDragging && <output className={timeline.bubble}>{exactTime(ms)}</output>}
    </div>
  )
}

/** Dragging with mouse, pen or finger. The player shows the frame. */
function useDrag({ state, edge, pixelsPerSecond }: Omit<HandleProps, 'label'>) {
  const { video } = useTimelineTools()
  const started = useRef<{ readonly x: number; readonly ms: number }>(undefined)
  const [isDragging, setDragging] = useState(false)
  const marks = useMarks()
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.focus()
    event.currentTarget.setPointerCapture(event.pointerId)
    started.current = { x: event.clientX, ms: state.ms(edge) }
  }
  const move = (event: PointerEvent<HTMLElement>) => {
    const start = started.current
    if (!start) return
    setDragging(true)
    const { rate } = video
    // A handle at the start is outside of the video, where there are no times.
    const ms = start.ms + ((event.clientX - start.x) / pixelsPerSecond) * 1000
    const to = snapped(Math.max(0, ms), { rate, pixelsPerSecond, marks })
    state.moveTo(edge, frameAt(rate, to.ms))
  }
  const end = () => {
    started.current = undefined
    setDragging(false)
  }
  const handlers = { onPointerDown: begin, onPointerMove: move, onPointerUp: end, onPointerCancel: end }
  return { isDragging, handlers }
}

/** Starts and ends of pauses, which attract a dragged handle. */
function useMarks(): readonly number[] {
  const { waveform } = useTimelineTools()
  return useMemo(
    () => (waveform ? pausesOf(waveform, MARK_PAUSE_MS_MIN) : []).flatMap(({ startMs, endMs }) => [startMs, endMs]),
    [waveform],
  )
}

const SHIFT_FRAMES = 10

/** A frame by the arrow keys, ten with Shift, a second by the paging keys, and as far as possible. */
function useHandleKeys(state: PartState, edge: Edge) {
  const { video } = useTimelineTools()
  const { min, max } = limitsOf(state.part, edge, video)
  const second = Math.round(video.rate)
  return (event: KeyboardEvent) => {
    const frames = event.shiftKey ? SHIFT_FRAMES : 1
    const current = state.part[edge]
    const targets: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: current - frames, ArrowRight: current + frames },
      ...{ ArrowDown: current - frames, ArrowUp: current + frames },
      ...{ PageDown: current - second, PageUp: current + second, Home: min, End: max },
    }
    const target = event.ctrlKey || event.metaKey || event.altKey ? undefined : targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    state.moveTo(edge, target)
  }
}
