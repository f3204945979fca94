import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { useTimelineTools } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import styles from './timeline.module.css'

type Props = { readonly pixelsPerSecond: number; readonly msAt: (clientX: number) => number }

/** Between two texts for screen readers while the video plays. */
const TEXT_MS = 1000

/** The line at the position of the player. It moves without React. */
export function PlayheadHandle({ pixelsPerSecond, msAt }: Props) {
  const { t } = useLingui()
  const { video, playhead } = useTimelineTools()
  const line = useRef<HTMLDivElement>(null)
  const slider = useRef<HTMLDivElement>(null)
  const said = useRef(Number.NaN)
  const place = useEffectEvent(() => {
    const { ms } = playhead
    if (!line.current || !slider.current) return
    line.current.style.transform = `translateX(${(ms / 1000) * pixelsPerSecond}px)`
    if (playhead.isPlaying && Math.abs(ms - said.current) < TEXT_MS) return
    said.current = ms
    slider.current.setAttribute('aria-valuenow', String(ms / 1000))
    slider.current.setAttribute('aria-valuetext', exactTime(ms))
  })
  useLayoutEffect(() => place())
  useEffect(() => playhead.subscribe(() => place()), [playhead])
  const onKeyDown = (event: KeyboardEvent) => {
    const second = Math.round(video.rate)
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: event.shiftKey ? -second : -1,
      ArrowRight: event.shiftKey ? second : 1,
      PageDown: -second,
      PageUp: second,
    }
    const frames = steps[event.key]
    if (frames !== undefined) playhead.step(frames)
    else if (event.key === 'Home') playhead.seek(0)
    else if (event.key === 'End') playhead.seek(video.durationMs)
    else return
    event.preventDefault()
  }
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) playhead.seek(msAt(event.clientX))
  }
  return (
    <div ref={line} className={styles.playhead}>
      <div
        ref={slider}
        role="slider"
        className={styles.playheadGrip}
        aria-label={t`Position`}
        aria-valuemin={0}
        aria-valuemax={video.durationMs / 1000}
        aria-valuenow={0}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
    </div>
  )
}
