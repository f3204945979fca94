import type { Rung } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { coverRung, keyframesOf } from './thumbnails.rules.ts'

const keyframe = (seconds: number, offset = 0) => ({ offset, bytes: 7, seconds })

it('keyframes are numbered and timed across all segments', () => {
  const segments = [
    { key: 'a', seconds: 4, keyframes: [keyframe(2), keyframe(2, 900)] },
    { key: 'b', seconds: 2.5, keyframes: [keyframe(2), keyframe(0.5)] },
  ]
  expect(keyframesOf(segments)).toEqual([
    { startSeconds: 0, segment: 0, offset: 0, bytes: 7 },
    { startSeconds: 2, segment: 0, offset: 900, bytes: 7 },
    { startSeconds: 4, segment: 1, offset: 0, bytes: 7 },
    { startSeconds: 6, segment: 1, offset: 0, bytes: 7 },
  ])
})

const rung = (width: number, height: number) => ({ name: `${height}p`, width, height }) as Rung

it('the cover uses the rendition closest to 720p, in landscape and portrait format', () => {
  expect(coverRung([rung(426, 240), rung(1280, 720), rung(1920, 1080)]).height).toBe(720)
  expect(coverRung([rung(240, 426), rung(720, 1280), rung(1080, 1920)]).width).toBe(720)
  expect(coverRung([rung(1920, 1080)]).height).toBe(1080)
})
