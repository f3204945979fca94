/** Preview thumbnails: a WebVTT file whose cues reference regions of sprite images. */
import { absolute } from '../about.ts'

export type Tile = {
  readonly start: number
  readonly url: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const cuePattern = /^(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s+-->.*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/gm

export const parseStoryboard = (text: string, url: string): Tile[] =>
  [...text.replaceAll('\r\n', '\n').matchAll(cuePattern)].map(
    ([, hours = '0', minutes, seconds, uri = '', x, y, width, height]) => ({
      start: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
      url: absolute(uri, url),
      x: Number(x),
      y: Number(y),
      width: Number(width),
      height: Number(height),
    }),
  )

/** Returns the tile for a position; undefined before the first tile. */
export const tileAt = (tiles: readonly Tile[], seconds: number): Tile | undefined =>
  tiles.findLast(({ start }) => start <= seconds)

/** Loads a storyboard. Returns no tiles on failure: the video plays without previews. */
export async function readStoryboard(url: string, signal: AbortSignal): Promise<Tile[]> {
  try {
    const response = await fetch(url, { credentials: 'omit', signal })
    return response.ok ? parseStoryboard(await response.text(), url) : []
  } catch {
    return []
  }
}

/** Shows a tile in an element, scaled to the given width. */
export function paintTile(element: HTMLElement, tile: Tile, width: number): void {
  const scale = width / tile.width
  const inner = element.firstElementChild ?? element.appendChild(document.createElement('span'))
  if (!(inner instanceof HTMLElement)) return
  Object.assign(element.style, { width: `${width}px`, height: `${tile.height * scale}px` })
  Object.assign(inner.style, {
    width: `${tile.width}px`,
    height: `${tile.height}px`,
    transform: `scale(${scale})`,
    backgroundImage: `url("${tile.url}")`,
    backgroundPosition: `-${tile.x}px -${tile.y}px`,
  })
}
