import { expect, it } from 'vitest'
import { parseStoryboard, tileAt } from './storyboard.ts'

const text = `WEBVTT

00:00.000 --> 00:04.000
storyboard-1.jpg#xywh=0,0,160,90

00:00:04.000 --> 01:00:08.500
storyboard-1.jpg#xywh=160,0,160,90

01:00:08.500 --> 01:00:12.000
storyboard-2.jpg#xywh=0,90,160,90
`

const url = 'https://video.example/play/open/acme/1/video-pictures-9/storyboard.vtt'
const tiles = parseStoryboard(text, url)

it('parseStoryboard resolves image URLs relative to the storyboard', () => {
  expect(tiles).toHaveLength(3)
  expect(tiles[2]).toEqual({
    start: 3608.5,
    url: 'https://video.example/play/open/acme/1/video-pictures-9/storyboard-2.jpg',
    ...{ x: 0, y: 90, width: 160, height: 90 },
  })
  expect(parseStoryboard(text.replaceAll('\n', '\r\n'), url)).toEqual(tiles)
})

it.each([
  [0, 0],
  [3.99, 0],
  [4, 1],
  [99_999, 2],
])('tileAt for %d seconds is tile %d', (seconds, index) => {
  expect(tileAt(tiles, seconds)).toBe(tiles[index])
})

it('parseStoryboard returns no tiles for a file that is not a storyboard', () => {
  expect(parseStoryboard('WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n', url)).toEqual([])
  expect(tileAt([], 5)).toBeUndefined()
})
