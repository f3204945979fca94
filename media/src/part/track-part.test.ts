import { expect, it } from 'vitest'
import { trackPart } from './track-part.ts'

const track = `WEBVTT

00:00:00.000 --> 00:00:02.000
before

00:00:02.500 --> 00:00:04.500 align:start
at the start
two lines

00:00:05.000 --> 00:00:09.000
at the end

01:00:00.000 --> 01:00:01.000
after
`

it('keeps the cues of the part, and cuts those at its ends', () => {
  expect(trackPart(track, { startSeconds: 3, endSeconds: 7.2 })).toBe(`WEBVTT

00:00:00.000 --> 00:00:01.500 align:start
at the start
two lines

00:00:02.000 --> 00:00:04.200
at the end
`)
})

it('moves the cues by an offset, for playlists that start earlier than the part', () => {
  const shown = trackPart(track, { startSeconds: 3, endSeconds: 7.2 }, { offsetSeconds: 1.04 })
  expect(shown.match(/^.* --> .*$/gm)).toEqual([
    '00:00:01.040 --> 00:00:02.540 align:start',
    '00:00:03.040 --> 00:00:05.240',
  ])
})

it('rewrites the text of each cue', () => {
  const tiles = 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nstoryboard-1.jpg#xywh=0,0,160,90\n'
  const rewrite = (uri: string) => `v1/${uri}`
  expect(trackPart(tiles, { startSeconds: 1, endSeconds: 2 }, { rewrite })).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nv1/storyboard-1.jpg#xywh=0,0,160,90\n',
  )
})

it('returns a track without cues for a part without text', () => {
  expect(trackPart(track, { startSeconds: 100, endSeconds: 200 })).toBe('WEBVTT\n')
})
