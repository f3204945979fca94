import { expect, it } from 'vitest'
import { tileAt, tilesOf } from './filmstrip.ts'

const file = `WEBVTT

00:00.000 --> 00:02.500
sheet-0.jpg#xywh=0,0,160,90

00:02.500 --> 00:05.000
sheet-0.jpg#xywh=160,0,160,90

01:00:05.000 --> 01:00:07.000
sheet-1.jpg#xywh=0,90,160,90
`

it('a filmstrip is read with times, and addresses relative to the file', () => {
  const tiles = tilesOf(file, 'https://videos.example/play/open/a/b/storyboard.vtt')
  expect(tiles.map(({ startMs }) => startMs)).toEqual([0, 2500, 3_605_000])
  expect(tiles[1]).toEqual({
    ...{ startMs: 2500, url: 'https://videos.example/play/open/a/b/sheet-0.jpg' },
    ...{ x: 160, y: 0, width: 160, height: 90 },
  })
})

it('a tile is shown until the next one starts', () => {
  const tiles = tilesOf(file, 'https://videos.example/a.vtt')
  expect(tileAt(tiles, 0)).toBe(tiles[0])
  expect(tileAt(tiles, 2499)).toBe(tiles[0])
  expect(tileAt(tiles, 2500)).toBe(tiles[1])
  expect(tileAt(tiles, 9e9)).toBe(tiles[2])
  expect(tileAt([], 5)).toBeUndefined()
})
