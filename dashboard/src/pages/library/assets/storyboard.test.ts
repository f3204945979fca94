import { expect, it } from 'vitest'
import { frameAt, storyboardFrames } from './storyboard.ts'

const text = `WEBVTT

00:00:00.000 --> 00:00:02.000
storyboard-1.jpg#xywh=0,0,160,90

00:00:02.000 --> 00:00:04.000
storyboard-1.jpg#xywh=160,90,160,90
`
const url = 'https://videos.example/play/token/storyboard.vtt'

it('reads the frames with addresses relative to the file', () => {
  const at = 'https://videos.example/play/token/storyboard-1.jpg'
  expect(storyboardFrames(text, url)).toEqual([
    { url: at, x: 0, y: 0, width: 160, height: 90 },
    { url: at, x: 160, y: 90, width: 160, height: 90 },
  ])
})

it.each([
  [-0.1, 0],
  [0, 0],
  [0.49, 0],
  [0.5, 160],
  [1, 160],
])('shows at place %d the frame that starts at x = %i', (place, x) => {
  expect(frameAt(storyboardFrames(text, url), place)?.x).toBe(x)
})

it('has no frame if the file has none', () => {
  expect(frameAt(storyboardFrames('WEBVTT', url), 0.5)).toBeUndefined()
})
