import { describe, expect, it } from 'vitest'
import { planOf } from '../../testing/plans.ts'
import { renderPlan, ticksBefore } from './render-plan.ts'

/** 40 seconds in ten segments of 120 frames. */
const whole = planOf({ durationSeconds: 40, audioStream: 1 })
const framesOf = (startFrame: number, endFrame: number) =>
  renderPlan(whole, { startFrame, endFrame }).edges.map(({ tracks }) => [
    tracks[0]?.segments.start,
    ...tracks.filter(({ name }) => name !== '360p').flatMap(({ frames }) => [frames?.start, frames?.end]),
  ])

describe('renderPlan', () => {
  it('encodes the two segments that are cut, and copies those between them', () => {
    const { segments, copied, plan } = renderPlan(whole, { startFrame: 130, endFrame: 500 })
    expect([segments, copied]).toEqual([
      { start: 1, end: 5 },
      { start: 2, end: 4 },
    ])
    // AAC frames of 1,024 samples start at or after the video frame.
    expect(framesOf(130, 500)).toEqual([
      [1, 130, 240, 204, 375],
      [4, 480, 500, 750, 782],
    ])
    expect(plan).toMatchObject({ frames: 370, firstFrame: 10, segments: 4, durationSeconds: 370 / 30 })
    expect(plan.parts).toEqual([
      {
        number: 0,
        tracks: ['240p', '360p', 'audio'].map((name) => ({ name, segments: { start: 0, end: 4 } })),
      },
    ])
  })

  it.each<[string, number, number, object, number[][]]>([
    ['nothing between borders of segments', 120, 480, { start: 1, end: 4 }, []],
    ['only the end after a border', 120, 484, { start: 1, end: 4 }, [[4, 5]]],
    ['only the start before a border', 121, 480, { start: 2, end: 4 }, [[1, 2]]],
    ['nothing of the whole', 0, 1200, { start: 0, end: 10 }, []],
    ['one segment for a part of one', 130, 140, { start: 2, end: 2 }, [[1, 2]]],
    ['one segment for its first frames', 120, 140, { start: 2, end: 2 }, [[1, 2]]],
    ['one or two frames with the next segment', 238, 600, { start: 3, end: 5 }, [[1, 3]]],
    ['one or two frames with the segment before', 120, 481, { start: 1, end: 3 }, [[3, 5]]],
    ['two frames at a border at once', 239, 241, { start: 3, end: 3 }, [[1, 3]]],
    ['three segments at once if their ends have a frame each', 239, 361, { start: 4, end: 4 }, [[1, 4]]],
  ])('encodes %s', (_, startFrame, endFrame, copied, segments) => {
    const rendered = renderPlan(whole, { startFrame, endFrame })
    expect(rendered.copied).toEqual(copied)
    const video = rendered.edges.flatMap(({ tracks }) => tracks.filter(({ name }) => name === '240p'))
    expect(video.map((track) => [track.segments.start, track.segments.end])).toEqual(segments)
    expect(rendered.plan.frames).toBe(endFrame - startFrame)
  })

  it('gives every segment an AAC frame, also one that lasts less than that', () => {
    const fast = planOf({ durationSeconds: 40, audioStream: 1, frameRate: { numerator: 60, denominator: 1 } })
    // Segment 4 ends with frame 1200, at 20 seconds. No AAC frame starts in its last 16 milliseconds.
    const { edges } = renderPlan(fast, { startFrame: 1199, endFrame: 2400 })
    expect(edges.map(({ tracks }) => tracks.map(({ name }) => name))).toEqual([['240p', '360p'], ['audio'], ['audio']])
    const audio = edges.flatMap(({ tracks }) => tracks.filter(({ name }) => name === 'audio'))
    expect(audio.map(({ segments, frames }) => [segments.start, frames?.start, frames?.end])).toEqual([
      [4, 937, 938],
      [5, 938, 1125],
    ])
    expect(edges.map(({ number }) => number)).toEqual([0, 1, 2])
  })

  it('does not cut the last segment, which is shorter, if the part ends with the video', () => {
    const short = planOf({ durationSeconds: 38, audioStream: 1 })
    const { copied, edges } = renderPlan(short, { startFrame: 125, endFrame: 1140 })
    expect(copied).toEqual({ start: 2, end: 10 })
    expect(edges).toHaveLength(1)
  })
})

it('ticksBefore counts the ticks of each track before a frame', () => {
  const ntsc = planOf({ durationSeconds: 40, audioStream: 1, frameRate: { numerator: 30_000, denominator: 1001 } })
  expect(ticksBefore(ntsc, '240p', 100)).toBe(100_100)
  expect(ticksBefore(ntsc, 'audio', 100)).toBe(160_160)
})
