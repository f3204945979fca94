import { expect, it } from 'vitest'
import type { TrackCue } from '../webvtt.ts'
import { MOMENT_LENGTH_MAX, momentsOf, readMoments, TRANSCRIPT_MOMENTS_MAX } from './transcript-moments.ts'

const cue = (startSeconds: number, endSeconds: number, text = String(startSeconds)): TrackCue => ({
  ...{ startSeconds, endSeconds, settings: '', text },
})
const times = (cues: readonly TrackCue[]) => momentsOf(cues).map(({ startMs, endMs }) => [startMs / 1000, endMs / 1000])

it('momentsOf cuts moments of at least 10 seconds that overlap by one cue', () => {
  const cues = Array.from({ length: 8 }, (_, index) => cue(index * 4, index * 4 + 4))
  expect(momentsOf(cues).map(({ text }) => text)).toEqual(['0 4 8', '8 12 16', '16 20 24', '24 28'])
  expect(times(cues)).toEqual([
    [0, 12],
    [8, 20],
    [16, 28],
    [24, 32],
  ])
})

it('momentsOf does not join cues with a long pause between them', () => {
  expect(times([cue(0, 3), cue(60, 63), cue(64, 67)])).toEqual([
    [0, 3],
    [60, 67],
  ])
})

it('momentsOf keeps a cue that is longer than a moment, and the end of a cue that ends last', () => {
  expect(times([cue(0, 90), cue(2, 4), cue(91, 92)])).toEqual([
    [0, 90],
    [2, 4],
    [91, 92],
  ])
  expect(times([cue(0, 9), cue(1, 3)])).toEqual([[0, 9]])
})

it('momentsOf returns plain text without tags and escapes', () => {
  expect(momentsOf([cue(0, 2, '<v Ann><i>Fish &amp; chips</i>\n5 &lt; 6'), cue(3, 4, '<i></i>')])[0]?.text).toBe(
    'Fish & chips 5 < 6',
  )
  expect(momentsOf([cue(0, 2, '<i></i>')])).toEqual([])
})

it('momentsOf returns where the text of each cue begins', () => {
  const cues = [cue(0, 2, ' One\ntwo '), cue(2, 3, '<i></i>'), cue(3, 4, 'Äö'.normalize('NFD')), cue(5, 6, 'three')]
  expect(momentsOf(cues)[0]).toMatchObject({
    text: 'One two Äö three',
    cues: [
      { offset: 0, startMs: 0 },
      { offset: 8, startMs: 3000 },
      { offset: 11, startMs: 5000 },
    ],
  })
  const long = momentsOf([cue(0, 1, 'a'.repeat(MOMENT_LENGTH_MAX)), cue(2, 3, 'b')])
  expect(long[0]?.cues).toEqual([{ offset: 0, startMs: 0 }])
})

it('momentsOf limits the number and the length of moments', () => {
  const many = Array.from({ length: TRANSCRIPT_MOMENTS_MAX + 5 }, (_, index) => cue(index * 40, index * 40 + 12))
  expect(momentsOf(many)).toHaveLength(TRANSCRIPT_MOMENTS_MAX)
  const [long] = momentsOf([cue(0, 1, 'a'.repeat(MOMENT_LENGTH_MAX - 1) + '😀'.repeat(9))])
  expect(long?.text).toBe('a'.repeat(MOMENT_LENGTH_MAX - 1))
})

it('readMoments returns nothing for a text that is not a track', () => {
  expect(readMoments('WEBVTT\n\n00:00.000 --> 00:01.500\nHello\n')).toEqual([
    { startMs: 0, endMs: 1500, text: 'Hello', cues: [{ offset: 0, startMs: 0 }] },
  ])
  expect(readMoments('hello')).toEqual([])
})
