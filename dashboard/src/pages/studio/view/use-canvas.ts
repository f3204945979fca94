import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { CANVAS_HEIGHT, type Colors, drawTimeline, type Scene } from './drawing.ts'

/** Images that were loaded for the filmstrip. A storyboard has few, each with many frames. */
function useImages(onLoaded: () => void) {
  const [images] = useState(() => new Map<string, HTMLImageElement>())
  const loaded = useEffectEvent(onLoaded)
  useEffect(
    () => () => {
      for (const image of images.values()) image.onload = null
    },
    [images],
  )
  return (url: string) => {
    const known = images.get(url)
    if (known) return known.complete && known.naturalWidth > 0 ? known : undefined
    const image = new Image()
    image.onload = () => loaded()
    image.src = url
    images.set(url, image)
    return undefined
  }
}

/**
 * Colors of the scheme. A canvas cannot use `light-dark()`, but properties of its element that have no effect on it
 * return the color of the active scheme.
 */
function colorsOf(canvas: HTMLCanvasElement): Colors {
  const { color, borderTopColor, outlineColor, columnRuleColor } = getComputedStyle(canvas)
  return { text: color, line: borderTopColor, wave: outlineColor, pause: columnRuleColor }
}

type Options = Omit<Scene, 'imageOf' | 'colors' | 'font' | 'fromMs'> & {
  readonly scroller: RefObject<HTMLElement | null>
}

/** Draws the visible part when something has changed, at most once for each frame of the screen. */
export function useCanvas({ scroller, ...scene }: Options): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null)
  const request = useRef(0)
  const schedule = () => {
    cancelAnimationFrame(request.current)
    request.current = requestAnimationFrame(() => draw())
  }
  const imageOf = useImages(schedule)
  const draw = useEffectEvent(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !canvas.current || scene.width === 0) return
    const ratio = window.devicePixelRatio
    const [width, height] = [Math.round(scene.width * ratio), CANVAS_HEIGHT * ratio]
    if (canvas.current.width !== width || canvas.current.height !== height)
      Object.assign(canvas.current, { width, height })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    // The canvas stays in the visible part of the timeline (`position: sticky`).
    const fromMs = (canvas.current.offsetLeft / scene.pixelsPerSecond) * 1000
    const font = `500 11px ${getComputedStyle(canvas.current).fontFamily}`
    drawTimeline(context, { ...scene, imageOf, fromMs, colors: colorsOf(canvas.current), font })
  })
  const scheduleLater = useEffectEvent(schedule)
  useEffect(() => {
    scheduleLater()
  })
  useEffect(() => {
    const [element, drawn] = [scroller.current, canvas.current]
    const onChange = () => scheduleLater()
    // The style sheet has a transition of the color, which ends when the scheme has changed.
    drawn?.addEventListener('transitionend', onChange)
    element?.addEventListener('scroll', onChange, { passive: true })
    void document.fonts.ready.then(onChange)
    return () => {
      drawn?.removeEventListener('transitionend', onChange)
      element?.removeEventListener('scroll', onChange)
      cancelAnimationFrame(request.current)
    }
  }, [scroller])
  return canvas
}
