import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, memo, type PointerEvent, type RefObject, useRef, useState } from 'react'
import { type Chapter, limitsOf } from '../chapters/chapter-edits.ts'
import { useCommands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { snapped } from '../timeline/snapping.ts'
import { exactTime } from '../times.ts'
import styles from './timeline.module.css'

type Props = {
  readonly chapter: Chapter
  readonly endMs: number
  readonly isSelected: boolean
  readonly isCurrent: boolean
  readonly pixelsPerSecond: number
  readonly scroller: RefObject<HTMLElement | null>
  readonly msAt: (clientX: number) => number
  readonly attracting: () => readonly number[]
}

/** A chapter on the timeline: its title, and a handle at its start to drag, which is a slider for the keyboard. */
export function ChapterHandle({ chapter, endMs, isSelected, isCurrent, pixelsPerSecond, ...rest }: Props) {
  const { t } = useLingui()
  const { video, editor, playhead } = useStudio()
  const { key, title, startMs } = chapter
  const drag = useDrag({ chapter, pixelsPerSecond, ...rest })
  const onKeyDown = useHandleKeys(key)
  const { min, max } = limitsOf(editor.chapters, key, video)
  // A chapter after the end of the video is shown at the end.
  const [shownMs, shownEndMs] = [Math.min(startMs, video.durationMs), Math.min(endMs, video.durationMs)]
  const place = { left: (shownMs / 1000) * pixelsPerSecond }
  const width = ((shownEndMs - shownMs) / 1000) * pixelsPerSecond
  return (
    <>
      <ChapterTitle
        {...{ title, left: place.left, width, isSelected, isCurrent }}
        onPress={() => {
          editor.actions.select(key)
          playhead.seek(startMs)
        }}
      />
      <div
        role="slider"
        className={styles.handle}
        style={place}
        aria-label={t`Start of ${title}`}
        aria-valuemin={min / 1000}
        aria-valuemax={max / 1000}
        aria-valuenow={startMs / 1000}
        aria-valuetext={exactTime(startMs)}
        // Arrow up and down go from one chapter to the next.
        tabIndex={isSelected ? 0 : -1}
        data-chapter={key}
        data-selected={isSelected || undefined}
        data-dragging={drag.isDragging || undefined}
        data-snapped={drag.isSnapped || undefined}
        onFocus={() => editor.actions.select(key)}
        onKeyDown={onKeyDown}
        {...drag.handlers}
      >
        <span className={styles.grip} />
        {drag.isDragging && <output className={styles.bubble}>{exactTime(startMs)}</output>}
      </div>
    </>
  )
}

type TitleProps = {
  readonly title: string
  readonly left: number
  readonly width: number
  readonly isSelected: boolean
  readonly isCurrent: boolean
  readonly onPress: () => void
}

/** The list has the same for the keyboard and for screen readers. */
const ChapterTitle = memo(
  ({ title, left, width, isSelected, isCurrent, onPress }: TitleProps) => (
    <div
      className={styles.segment}
      style={{ left, width }}
      data-selected={isSelected || undefined}
      data-current={isCurrent || undefined}
      aria-hidden="true"
      onClick={onPress}
    >
      <span>{title}</span>
    </div>
  ),
  (one, other) =>
    one.title === other.title &&
    one.left === other.left &&
    one.width === other.width &&
    one.isSelected === other.isSelected &&
    one.isCurrent === other.isCurrent,
)

type DragOptions = Pick<Props, 'chapter' | 'pixelsPerSecond' | 'scroller' | 'msAt' | 'attracting'>

/** Distance from the edge at which the timeline scrolls, and by how much for each move. */
const EDGE_PIXELS = 36
const SCROLL_PIXELS = 18
/** Smaller moves are a click. */
const MOVE_PIXELS_MIN = 3

/** Dragging with mouse, pen or finger. The player shows the frame. All moves are one step of undo. */
function useDrag({ chapter: { key, startMs }, pixelsPerSecond, scroller, msAt, attracting }: DragOptions) {
  const { video, editor, playhead } = useStudio()
  const [isDragging, setDragging] = useState(false)
  const [isSnapped, setSnapped] = useState(false)
  const started = useRef<{ readonly x: number; readonly offset: number; readonly marks: readonly number[] }>(undefined)
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.focus()
    event.currentTarget.setPointerCapture(event.pointerId)
    started.current = { x: event.clientX, offset: startMs - msAt(event.clientX), marks: attracting() }
  }
  const move = (event: PointerEvent<HTMLElement>) => {
    const start = started.current
    if (!start || (!isDragging && Math.abs(event.clientX - start.x) < MOVE_PIXELS_MIN)) return
    setDragging(true)
    scrollAtEdge(scroller.current, event.clientX)
    const { rate } = video
    const to = snapped(msAt(event.clientX) + start.offset, { rate, pixelsPerSecond, marks: start.marks })
    setSnapped(to.isSnapped)
    editor.actions.move(key, to.ms)
    playhead.seek(to.ms)
  }
  const end = () => {
    if (!started.current) return
    started.current = undefined
    if (isDragging) editor.actions.endStep()
    else playhead.seek(startMs)
    setDragging(false)
    setSnapped(false)
  }
  const handlers = { onPointerDown: begin, onPointerMove: move, onPointerUp: end, onPointerCancel: end }
  return { isDragging, isSnapped, handlers }
}

function scrollAtEdge(element: HTMLElement | null, clientX: number): void {
  if (!element) return
  const { left, right } = element.getBoundingClientRect()
  if (clientX < left + EDGE_PIXELS) element.scrollLeft -= SCROLL_PIXELS
  if (clientX > right - EDGE_PIXELS) element.scrollLeft += SCROLL_PIXELS
}

const SHIFT_FRAMES = 10

/** A frame by the arrow keys, ten with Shift, a second by the paging keys. Up and down go to the other chapters. */
function useHandleKeys(key: string) {
  const { video, editor } = useStudio()
  const commands = useCommands()
  const second = Math.round(video.rate)
  const nudge = (frames: number) => (event: KeyboardEvent) => commands.nudge(key, frames, event.repeat)
  const arrow = (frames: number) => (event: KeyboardEvent) =>
    nudge(event.shiftKey ? frames * SHIFT_FRAMES : frames)(event)
  const go = (direction: -1 | 1) => () => {
    const { chapters } = editor
    const target = chapters[chapters.findIndex((chapter) => chapter.key === key) + direction]
    if (target) commands.show(target.key, target.startMs)
  }
  const keys = new Map([
    ['ArrowLeft', arrow(-1)],
    ['ArrowRight', arrow(1)],
    ['PageDown', nudge(-second)],
    ['PageUp', nudge(second)],
    ['ArrowUp', go(-1)],
    ['ArrowDown', go(1)],
  ])
  return (event: KeyboardEvent) => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys.get(event.key)
    if (!run) return
    event.preventDefault()
    run(event)
  }
}
