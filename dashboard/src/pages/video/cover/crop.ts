/** Which part of an image is the cover. Pure. */

export type Size = { readonly width: number; readonly height: number }

/** What is shown: `x` and `y` are the center, as shares of the image. A zoom of 1 is the largest crop. */
export type View = { readonly zoom: number; readonly x: number; readonly y: number }

export const wholeView: View = { zoom: 1, x: 0.5, y: 0.5 }

/** Covers are not larger than this, and a crop that is much smaller would be blurred. */
const LONG_SIDE_MAX = 1280
const LONG_SIDE_MIN = 320
const ZOOM_LIMIT = 4

/** The part of the image, in its pixels. `ratio` is the width divided by the height. */
export function cropOf({ width, height }: Size, ratio: number, { zoom, x, y }: View) {
  const cropWidth = Math.min(width, height * ratio) / zoom
  const cropHeight = cropWidth / ratio
  const inside = (center: number, length: number, whole: number) =>
    Math.max(0, Math.min(whole - length, center * whole - length / 2))
  return {
    ...{ left: inside(x, cropWidth, width), top: inside(y, cropHeight, height) },
    ...{ width: cropWidth, height: cropHeight },
  }
}

/** How far an image can be zoomed in; 1 for a small one. */
export function zoomMax(size: Size, ratio: number): number {
  const { width, height } = cropOf(size, ratio, wholeView)
  return Math.max(1, Math.min(ZOOM_LIMIT, Math.max(width, height) / LONG_SIDE_MIN))
}

/** Moves the view by shares of the crop, and changes its zoom. The view stays inside of the image. */
export function changedView(size: Size, ratio: number, { view, right = 0, down = 0, zoom = view.zoom }: Change): View {
  const clamped = Math.max(1, Math.min(zoomMax(size, ratio), zoom))
  const before = cropOf(size, ratio, view)
  const x = view.x + (right * before.width) / size.width
  const y = view.y + (down * before.height) / size.height
  const { left, top, width, height } = cropOf(size, ratio, { zoom: clamped, x, y })
  return { zoom: clamped, x: (left + width / 2) / size.width, y: (top + height / 2) / size.height }
}

type Change = { readonly view: View; readonly right?: number; readonly down?: number; readonly zoom?: number }

/** The size of the cover in pixels. A small image is not enlarged. */
export function coverSize({ width, height }: Size): Size {
  const scale = Math.min(1, LONG_SIDE_MAX / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
