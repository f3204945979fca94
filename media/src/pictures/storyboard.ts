/**
 * Small pictures of the whole video in a few large ones, with a WebVTT that tells which is where:
 * what a player shows above its timeline.
 */

type Tile = { readonly width: number; readonly height: number }

export type Storyboard = {
  /** Of each small picture. */
  readonly tile: Tile
  readonly columns: number
  readonly rows: number
  /** Numbers of the keyframes that are shown: of a long video, every so many one is taken. */
  readonly shown: readonly number[]
  /** How many large pictures they fill. */
  readonly sheets: number
}

const TILE_LONG_SIDE = 160
const COLUMNS = 5
const ROWS = 5

/** Finer than a timeline has pixels for, and a bound on what a player loads. */
const TILES_MAX = 500

export function planStoryboard(
  keyframes: number,
  picture: { readonly width: number; readonly height: number },
): Storyboard {
  const step = Math.max(1, Math.ceil(keyframes / TILES_MAX))
  const shown = Array.from({ length: Math.ceil(keyframes / step) }, (_, index) => index * step)
  const sheets = Math.ceil(shown.length / (COLUMNS * ROWS))
  return { tile: tileOf(picture), columns: COLUMNS, rows: ROWS, shown, sheets }
}

function tileOf({ width, height }: Tile): Tile {
  const scale = Math.min(1, TILE_LONG_SIDE / Math.max(width, height))
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2))
  return { width: even(width), height: even(height) }
}

export const sheetName = (number: number) => `storyboard-${number}.jpg`

/**
 * Each picture stands from its keyframe to that of the next one, the last to the end.
 * @param keyframeSeconds When each keyframe is shown, in order.
 */
export function storyboardVtt(
  { tile, columns, rows, shown }: Storyboard,
  keyframeSeconds: readonly number[],
  durationSeconds: number,
): string {
  const cues = shown.map((keyframe, index) => {
    const start = keyframeSeconds[keyframe] ?? durationSeconds
    const end = keyframeSeconds[shown[index + 1] ?? keyframeSeconds.length] ?? durationSeconds
    const place = index % (columns * rows)
    const x = (place % columns) * tile.width
    const y = Math.floor(place / columns) * tile.height
    const sheet = sheetName(Math.floor(index / (columns * rows)) + 1)
    const picture = `${sheet}#xywh=${x},${y},${tile.width},${tile.height}`
    return end > start ? `${clock(start)} --> ${clock(end)}\n${picture}\n` : ''
  })
  return `WEBVTT\n\n${cues.filter(Boolean).join('\n')}`
}

function clock(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000)
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [hours, minutes] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
  ]
  const rest = `${padded(Math.floor(milliseconds / 1000) % 60, 2)}.${padded(milliseconds % 1000, 3)}`
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${rest}`
}
