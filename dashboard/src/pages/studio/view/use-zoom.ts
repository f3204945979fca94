import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Playhead } from '../media/playhead.ts'
import { clampZoom, placeOf, timeAt, type Video, zoomLimits } from '../timeline/zoom.ts'

/** Factor of a press of a button or key. */
const STEP = 1.6
/** Change by the wheel: a notch of a mouse is about 100. */
const WHEEL = 0.0022

export type Zoom = ReturnType<typeof useZoom>

/** The scale of the timeline. The place under the pointer stays, otherwise the playhead if it is visible. */
export function useZoom(scroller: RefObject<HTMLElement | null>, video: Video, playhead: Playhead) {
  const [width, setWidth] = useState(0)
  /** Undefined for the whole video, also if the width changes. */
  const [wanted, setWanted] = useState<number>()
  const pending = useRef<number>(undefined)
  const limits = zoomLimits(video, Math.max(1, width))
  const pixelsPerSecond = wanted === undefined ? limits.min : clampZoom(wanted, limits)

  const zoomTo = (pixels: number, anchorX?: number) => {
    const element = scroller.current
    if (!element) return
    const next = clampZoom(pixels, limits)
    const playheadX = placeOf(playhead.ms, pixelsPerSecond) - element.scrollLeft
    const x = anchorX ?? (playheadX >= 0 && playheadX <= width ? playheadX : width / 2)
    pending.current = placeOf(timeAt(element.scrollLeft + x, pixelsPerSecond), next) - x
    setWanted(next === limits.min ? undefined : next)
  }

  // Before the first paint, so that the timeline does not jump.
  useLayoutEffect(() => {
    if (pending.current !== undefined) scroller.current?.scrollTo({ left: pending.current })
    pending.current = undefined
  })

  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const { left } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    zoomTo(pixelsPerSecond * Math.exp(-event.deltaY * WHEEL), event.clientX - left)
  })

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    // React listens to the wheel passively, so it cannot prevent the zoom of the browser.
    const listener = (event: WheelEvent) => onWheel(event)
    element.addEventListener('wheel', listener, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', listener)
    }
  }, [scroller])

  return {
    width,
    pixelsPerSecond,
    canZoomIn: pixelsPerSecond < limits.max,
    canZoomOut: pixelsPerSecond > limits.min,
    zoomIn: () => zoomTo(pixelsPerSecond * STEP),
    zoomOut: () => zoomTo(pixelsPerSecond / STEP),
    fit: () => zoomTo(limits.min),
  }
}
