/** Draws the visible part of the timeline: ruler, filmstrip and waveform. */
import { type Tile, tileAt } from '../media/filmstrip.ts'
import { type Pause, peaksOf, type Waveform } from '../timeline/waveform.ts'
import { rulerOf, type Video } from '../timeline/zoom.ts'
import { frameOfSecond, shortTime } from '../times.ts'

/** Heights in CSS pixels. The style sheet has the same. */
const RULER_HEIGHT = 26
const FILM_HEIGHT = 66
const WAVE_HEIGHT = 64
export const CANVAS_HEIGHT = RULER_HEIGHT + FILM_HEIGHT + WAVE_HEIGHT

/** Between the line of a time and its text, which the head of the playhead would otherwise cover. */
const LABEL_GAP = 9

/** Width of a bar of the waveform, and the space after it. */
const BAR_PIXELS = 2
const BAR_SPACE_PIXELS = 1

export type Colors = {
  readonly text: string
  readonly line: string
  readonly wave: string
  readonly pause: string
}

export type Scene = {
  readonly video: Video
  /** In CSS pixels. */
  readonly width: number
  readonly fromMs: number
  readonly pixelsPerSecond: number
  readonly tiles: readonly Tile[]
  /** Undefined until the image is loaded. */
  readonly imageOf: (url: string) => CanvasImageSource | undefined
  readonly waveform: Waveform | undefined
  readonly pauses: readonly Pause[]
  readonly colors: Colors
  readonly font: string
}

type Context = CanvasRenderingContext2D

export function drawTimeline(context: Context, scene: Scene): void {
  context.clearRect(0, 0, scene.width, CANVAS_HEIGHT)
  drawRuler(context, scene)
  drawFilm(context, scene)
  drawWave(context, scene)
}

const xOf = ({ fromMs, pixelsPerSecond }: Scene, ms: number) => ((ms - fromMs) / 1000) * pixelsPerSecond
const toMs = ({ fromMs, pixelsPerSecond }: Scene, x: number) => fromMs + (x / pixelsPerSecond) * 1000

function drawRuler(context: Context, scene: Scene): void {
  const { video, fromMs, width, pixelsPerSecond, colors, font } = scene
  const { labels, minor, isInFrames } = rulerOf(video, { fromMs, toMs: toMs(scene, width), pixelsPerSecond })
  context.fillStyle = colors.line
  for (const ms of minor) context.fillRect(Math.round(xOf(scene, ms)), RULER_HEIGHT - 5, 1, 5)
  context.font = font
  context.textBaseline = 'middle'
  for (const ms of labels) {
    const x = Math.round(xOf(scene, ms))
    context.fillStyle = colors.line
    context.fillRect(x, RULER_HEIGHT - 12, 1, 12)
    const frame = isInFrames ? frameOfSecond(video.rate, ms) : 0
    const text = frame === 0 ? shortTime(Math.floor(ms / 1000) * 1000) : `+${frame}`
    // The last label must not reach beyond the end.
    if (x + LABEL_GAP + context.measureText(text).width + 1 > xOf(scene, video.durationMs)) continue
    context.fillStyle = colors.text
    context.fillText(text, x + LABEL_GAP, RULER_HEIGHT / 2 - 1)
  }
}

function drawFilm(context: Context, scene: Scene): void {
  const { tiles, video, width } = scene
  const [first] = tiles
  const end = Math.min(width, xOf(scene, video.durationMs))
  context.save()
  context.beginPath()
  context.roundRect(xOf(scene, 0), RULER_HEIGHT, xOf(scene, video.durationMs) - xOf(scene, 0), FILM_HEIGHT, 6)
  context.clip()
  context.fillStyle = scene.colors.pause
  context.fillRect(0, RULER_HEIGHT, end, FILM_HEIGHT)
  if (first) {
    const slot = Math.max(24, (FILM_HEIGHT * first.width) / first.height)
    // Slots begin at the start of the video, so that they move with the timeline.
    const offset = xOf(scene, 0)
    for (let x = offset + Math.floor(-offset / slot) * slot; x < end; x += slot) {
      if (x + slot > 0) drawTile(context, scene, { x, slot })
    }
  }
  context.restore()
}

function drawTile(context: Context, scene: Scene, { x, slot }: { readonly x: number; readonly slot: number }): void {
  const tile = tileAt(scene.tiles, toMs(scene, x + slot / 2))
  const image = tile && scene.imageOf(tile.url)
  if (!image) return
  context.drawImage(image, tile.x, tile.y, tile.width, tile.height, x, RULER_HEIGHT, slot - 1, FILM_HEIGHT)
}

function drawWave(context: Context, scene: Scene): void {
  const { waveform, video, width, colors } = scene
  const top = RULER_HEIGHT + FILM_HEIGHT + 3
  const height = WAVE_HEIGHT - 6
  if (!waveform) return
  context.fillStyle = colors.pause
  for (const { startMs, endMs } of scene.pauses) {
    const [from, to] = [xOf(scene, startMs), xOf(scene, endMs)]
    if (to > 0 && from < width) context.fillRect(from, top, to - from, height)
  }
  const step = BAR_PIXELS + BAR_SPACE_PIXELS
  // Bars begin at the start of the video, so that they do not change while the timeline scrolls.
  const stepMs = (step / scene.pixelsPerSecond) * 1000
  const first = Math.max(0, Math.floor(scene.fromMs / stepMs))
  const end = Math.min(toMs(scene, width), video.durationMs)
  const count = Math.max(0, Math.ceil(end / stepMs) - first)
  const peaks = peaksOf(waveform, { fromMs: first * stepMs, toMs: (first + count) * stepMs, count })
  context.fillStyle = colors.wave
  for (let bar = 0; bar < count; bar++) {
    const size = Math.max(1, (peaks[bar] ?? 0) * height)
    context.fillRect(xOf(scene, (first + bar) * stepMs), top + (height - size) / 2, BAR_PIXELS, size)
  }
}
