/** Frames of the video, as parts of images, from a WebVTT file: the storyboard, or a denser filmstrip. */
export type Tile = {
  readonly startMs: number
  readonly url: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const cue = /^(?:(\d+):)?(\d+):(\d+)\.(\d{3})[ \t]+-->.*(?:\r\n|\n|\r)(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)[ \t]*$/gm

/** Reads the tiles in their order. `url` is the address of the file. */
export const tilesOf = (text: string, url: string): readonly Tile[] =>
  [...text.matchAll(cue)].map(([, hours = '0', minutes = '0', seconds = '0', ms = '0', name = '', ...numbers]) => {
    const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number)
    const startMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms)
    return { startMs, url: new URL(name, url).href, x, y, width, height }
  })

/** The tile that is shown at a time. */
export function tileAt(tiles: readonly Tile[], ms: number): Tile | undefined {
  let [low, high] = [0, tiles.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tiles[middle]?.startMs ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return tiles[low]
}
