/** Small pictures of a video by their time: WebVTT that names a place in a larger picture. */
import { absolute } from './about.ts'

export type Tile = {
  readonly start: number
  readonly url: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const cueForm = /^(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s+-->.*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/gm

export const parseStoryboard = (text: string, url: string): Tile[] =>
  [...text.replaceAll('\r\n', '\n').matchAll(cueForm)].map(
    ([, hours = '0', minutes, seconds, uri = '', x, y, width, height]) => ({
      start: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
      url: absolute(uri, url),
      x: Number(x),
      y: Number(y),
      width: Number(width),
      height: Number(height),
    }),
  )

/** The one that is shown at a time; undefined before the first. */
export const tileAt = (tiles: readonly Tile[], seconds: number): Tile | undefined =>
  tiles.findLast(({ start }) => start <= seconds)

/** None if it cannot be had: a player without pictures still plays. */
export async function readStoryboard(url: string, signal: AbortSignal): Promise<Tile[]> {
  try {
    const answer = await fetch(url, { credentials: 'omit', signal })
    return answer.ok ? parseStoryboard(await answer.text(), url) : []
  } catch {
    return []
  }
}

/** Shows a tile in an element, as wide as told. */
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
