import { ProbeInterrupted, UnusableMedia } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { stepError } from './probe.step.ts'

const costly = new UnusableMedia('probe_too_costly', 'took far too long')
const slow = new ProbeInterrupted('too-slow', 'The program did not end', { cause: costly })
const blamed = { name: 'UnusableFile', failure: { code: 'probe_too_costly' } }

it('an unusable file is rejected at the first attempt', () => {
  expect(stepError(costly, 1)).toMatchObject(blamed)
})

it('probing a file that takes too long is retried, and the file is rejected at the fifth attempt', () => {
  for (const number of [1, 2, 3, 4]) expect(stepError(slow, number)).toBe(slow)
  expect(stepError(slow, 5)).toMatchObject(blamed)
})

it('an error of storage is never blamed on the file', () => {
  const away = new ProbeInterrupted('source-unreadable', 'away', { cause: new Error('ECONNRESET') })
  expect(stepError(away, 12)).toBe(away)
})
