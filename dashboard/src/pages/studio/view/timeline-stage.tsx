import { useLingui } from '@lingui/react/macro'
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { PAUSE_MS_MIN } from '../chapters/proposals.ts'
import { useFilmstrip } from '../media/use-tracks.ts'
import { useTimelineTools } from '../studio-context.tsx'
import { pausesOf } from '../timeline/waveform.ts'
import { placeOf } from '../timeline/zoom.ts'
import { PlayheadHandle } from './playhead-handle.tsx'
import styles from './timeline.module.css'
import { useCanvas } from './use-canvas.ts'
import type { Zoom } from './use-zoom.ts'

type Props = {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly zoom: Zoom
  /** What is edited, below the waveform. `msAt` returns the time below the pointer. */
  readonly children: (msAt: (clientX: number) => number) => ReactNode
}

/** Ruler, filmstrip and waveform of the video, with what is edited. It scrolls horizontally; a click seeks. */
export function TimelineStage({ scroller, zoom, children }: Props) {
  const { t } = useLingui()
  const { video, playhead, waveform } = useTimelineTools()
  const tiles = useFilmstrip() ?? []
  const stage = useRef<HTMLDivElement>(null)
  const { pixelsPerSecond, width } = zoom
  const pauses = useMemo(() => (waveform ? pausesOf(waveform, PAUSE_MS_MIN) : []), [waveform])
  const seconds = video.durationMs / 1000
  const canvasWidth = Math.min(width, seconds * pixelsPerSecond)
  const canvas = useCanvas({ scroller, video, width: canvasWidth, pixelsPerSecond, tiles, waveform, pauses })
  useFollowing(scroller, zoom)
  const msAt = (clientX: number) => {
    const left = stage.current?.getBoundingClientRect().left ?? 0
    return Math.max(0, Math.min(video.durationMs, ((clientX - left) / pixelsPerSecond) * 1000))
  }
  const seek = ({ clientX }: { readonly clientX: number }) => playhead.seek(msAt(clientX))
  // A mouse also scrubs. A finger scrolls, and a tap seeks.
  const scrub = (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    seek(event)
  }
  const isScrubbing = (event: PointerEvent<HTMLElement>) =>
    event.pointerType === 'mouse' && event.currentTarget.hasPointerCapture(event.pointerId)
  return (
    <section ref={scroller} className={styles.scroller} aria-label={t`Timeline`}>
      <div ref={stage} className={styles.stage} style={{ width: seconds * pixelsPerSecond }}>
        {/* The playhead is a slider, and shortcuts do the same. */}
        <div
          className={styles.media}
          aria-hidden="true"
          onPointerDown={scrub}
          onPointerMove={(event) => isScrubbing(event) && seek(event)}
          onClick={seek}
        >
          <canvas ref={canvas} className={styles.canvas} style={{ width: canvasWidth }} />
        </div>
        {children(msAt)}
        <PlayheadHandle pixelsPerSecond={pixelsPerSecond} msAt={msAt} />
      </div>
    </section>
  )
}

/** Scrolls when the playhead leaves the visible part, but not after the user has scrolled away while it plays. */
function useFollowing(scroller: RefObject<HTMLElement | null>, { pixelsPerSecond, width }: Zoom): void {
  const { playhead } = useTimelineTools()
  const last = useRef({ ms: 0, left: 0, isVisible: true })
  const follow = useEffectEvent(() => {
    const element = scroller.current
    if (!element || playhead.ms === last.current.ms || element.querySelector('[data-dragging]')) return
    const x = placeOf(playhead.ms, pixelsPerSecond) - element.scrollLeft
    const isOutside = x < 0 || x > width
    const hasLeft = last.current.isVisible && element.scrollLeft === last.current.left
    const isFollowed = isOutside && (hasLeft || !playhead.isPlaying)
    if (isFollowed) element.scrollTo({ left: Math.max(0, element.scrollLeft + x - width * FOLLOW_PLACE) })
    last.current = { ms: playhead.ms, left: element.scrollLeft, isVisible: isFollowed || !isOutside }
  })
  useEffect(() => playhead.subscribe(() => follow()), [playhead])
}

/** Where the playhead is after the timeline has scrolled to it, as a share of the width. */
const FOLLOW_PLACE = 0.12
