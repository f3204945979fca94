import { type Part, PartFailed, PartInterrupted } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { stepError } from './encode.step.ts'

const failed = new PartFailed('ffmpeg ended with a complaint')
const here = (number: number) => ({ number, hasFailedElsewhere: false })
const elsewhere = (number: number) => ({ number, hasFailedElsewhere: true })
const segments = { start: 0, end: 2 }
const alone: Part = { number: 1, tracks: [{ name: '240p', segments }] }
const together: Part = { number: 1, tracks: [...alone.tracks, { name: 'audio', segments }] }

it('a failed part is retried as a whole and then split by track', () => {
  expect(stepError(failed, together, here(1))).toBe(failed)
  expect(stepError(failed, together, here(2))).toMatchObject({
    name: 'SplitStep',
    parts: [{ part: '1-240p' }, { part: '1-audio' }],
  })
})

it('a track that fails repeatedly on its own, on two workers, is blamed on the file', () => {
  for (const number of [1, 2]) expect(stepError(failed, alone, elsewhere(number))).toBe(failed)
  expect(stepError(failed, alone, elsewhere(3))).toMatchObject({
    name: 'UnusableFile',
    failure: { code: 'encoding_failed', detail: expect.stringContaining('240p') },
  })
})

it('a track that fails on one worker only is never blamed on the file', () => {
  for (const number of [1, 3, 30]) expect(stepError(failed, alone, here(number))).toBe(failed)
})

it('a part for which a worker has too little memory is split by track, and never blamed on the file', () => {
  const tooSmall = new PartInterrupted('worker-memory', 'ffmpeg needs more memory')
  expect(stepError(tooSmall, together, here(2))).toMatchObject({ name: 'SplitStep' })
  for (const number of [1, 3, 30]) expect(stepError(tooSmall, alone, elsewhere(number))).toBe(tooSmall)
})
