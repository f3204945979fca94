import { ProbeInterrupted, UnusableMedia } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { meaningOf } from './probe.step.ts'

const costly = new UnusableMedia('probe_too_costly', 'took far too long')
const slow = new ProbeInterrupted('too-slow', 'The program did not end', { cause: costly })
const blamed = { name: 'UnusableFile', failure: { code: 'probe_too_costly' } }

it('a file that is at fault is told so at the first attempt', () => {
  expect(meaningOf(costly, 1)).toMatchObject(blamed)
})

it('a file that was too slow is tried again, and blamed at the fifth attempt', () => {
  for (const number of [1, 2, 3, 4]) expect(meaningOf(slow, number)).toBe(slow)
  expect(meaningOf(slow, 5)).toMatchObject(blamed)
})

it('nothing else is ever the fault of the file', () => {
  const away = new ProbeInterrupted('source-unreadable', 'away', { cause: new Error('ECONNRESET') })
  expect(meaningOf(away, 12)).toBe(away)
})
