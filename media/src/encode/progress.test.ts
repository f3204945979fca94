import { describe, expect, it } from 'vitest'
import { planOf } from '../../testing/plans.ts'
import { progressReader, type SegmentCounts, segmentCounts } from './progress.ts'

/** A plan with segments of 120 frames; the last segment has 30. */
const plan = planOf({ durationSeconds: 21, audioStream: 1, chunkSegments: 4 })
const [opening, first, last] = plan.parts
if (!opening || !first || !last) throw new Error('unexpected parts')

describe('segmentCounts', () => {
  it.each([
    [0, { '240p': 0, audio: 0 }],
    [119, { '240p': 0, audio: 0 }],
    [120, { '240p': 1, audio: 1 }],
    [240, { '240p': 2, audio: 2 }],
  ])('counts the segments of the opening after %i frames', (frames, made) => {
    expect(segmentCounts(plan, opening, frames)).toEqual(made)
  })

  it.each([
    [239, { '240p': 0, '360p': 1, audio: 0 }],
    [360, { '240p': 1, '360p': 3, audio: 1 }],
    [480, { '240p': 2, '360p': 4, audio: 2 }],
  ])('counts the segments of a chunk whose tracks start at different times after %i frames', (frames, made) => {
    expect(segmentCounts(plan, first, frames)).toEqual(made)
  })

  it('counts the segments of a part with only audio', () => {
    const alone = { ...last, tracks: last.tracks.filter(({ name }) => name === 'audio') }
    expect(segmentCounts(plan, alone, 0)).toEqual({ audio: 0 })
    expect(segmentCounts(plan, alone, 120)).toEqual({ audio: 1 })
    expect(segmentCounts(plan, alone, 150)).toEqual({ audio: 2 })
  })

  it('counts the last segment of a video, which is shorter', () => {
    expect(segmentCounts(plan, last, 149)).toEqual({ '240p': 1, '360p': 1, audio: 1 })
    expect(segmentCounts(plan, last, 150)).toEqual({ '240p': 2, '360p': 2, audio: 2 })
  })
})

it('progressReader reads lines that are split across chunks, and reports only changes', () => {
  const reported: SegmentCounts[] = []
  const read = progressReader(plan, opening, (made) => reported.push(made))
  const chunks = ['frame=  1', '20\nfps=30\nframe=130\n', 'progress=continue\nframe=2', '40\n', 'end']
  for (const chunk of chunks) read(Buffer.from(chunk))
  expect(reported).toEqual([
    { '240p': 1, audio: 1 },
    { '240p': 2, audio: 2 },
  ])
})
