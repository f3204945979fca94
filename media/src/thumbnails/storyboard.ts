/**
 * Storyboards: sheets of small frames, with a WebVTT file that maps times to tiles, for the
 * previews on a player's timeline.
 */

type Tile = { readonly width: number; readonly height: number }

export type Storyboard = {
  readonly tile: Tile
  readonly columns: number
  readonly rows: number
  /** Indexes of the keyframes in the storyboard: for long videos, every nth. */
  readonly shown: readonly number[]
  readonly sheets: number
  /** Start of the names of its files. */
  readonly name: 'storyboard' | 'filmstrip'
}

const TILE_LONG_SIDE = 160
const COLUMNS = 5
const ROWS = 5

/** Maximum number of tiles. It limits what players load; a timeline has too few pixels for more tiles. */
const TILES_MAX = 500

/** The same for a filmstrip, which editors load in parts: two hours with all keyframes. */
const FILMSTRIP_TILES_MAX = 3600

export const planStoryboard = (keyframes: number, size: Tile): Storyboard => plan('storyboard', keyframes, size)

/** Plans a denser storyboard for the timelines of editors. Undefined if the storyboard has all keyframes. */
export const planFilmstrip = (keyframes: number, size: Tile): Storyboard | undefined =>
  keyframes > TILES_MAX ? plan('filmstrip', keyframes, size) : undefined

function plan(name: Storyboard['name'], keyframes: number, size: Tile): Storyboard {
  const step = Math.max(1, Math.ceil(keyframes / (name === 'storyboard' ? TILES_MAX : FILMSTRIP_TILES_MAX)))
  const shown = Array.from({ length: Math.ceil(keyframes / step) }, (_, index) => index * step)
  const sheets = Math.ceil(shown.length / (COLUMNS * ROWS))
  return { tile: tileOf(size), columns: COLUMNS, rows: ROWS, shown, sheets, name }
}

function tileOf({ width, height }: Tile): Tile {
  const scale = Math.min(1, TILE_LONG_SIDE / Math.max(width, height))
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2))
  return { width: even(width), height: even(height) }
}

export const sheetName = ({ name }: Pick<Storyboard, 'name'>, number: number | '%d') => `${name}-${number}.jpg`

/**
 * Writes the WebVTT file. Each tile is shown until the time of the next one, the last tile until the end of the video.
 * @param keyframeSeconds When each keyframe is displayed, in order.
 */
export function storyboardVtt(
  { tile, columns, rows, shown, name }: Storyboard,
  keyframeSeconds: readonly number[],
  durationSeconds: number,
): string {
  const cues = shown.map((keyframe, index) => {
    const start = keyframeSeconds[keyframe] ?? durationSeconds
    const end = keyframeSeconds[shown[index + 1] ?? keyframeSeconds.length] ?? durationSeconds
    const position = index % (columns * rows)
    const x = (position % columns) * tile.width
    const y = Math.floor(position / columns) * tile.height
    const sheet = sheetName({ name }, Math.floor(index / (columns * rows)) + 1)
    const tileUri = `${sheet}#xywh=${x},${y},${tile.width},${tile.height}`
    return end > start ? `${clock(start)} --> ${clock(end)}\n${tileUri}\n` : ''
  })
  return `WEBVTT\n\n${cues.filter(Boolean).join('\n')}`
}

function clock(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000)
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60]
  const rest = `${padded(Math.floor(milliseconds / 1000) % 60, 2)}.${padded(milliseconds % 1000, 3)}`
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${rest}`
}
