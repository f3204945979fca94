import { expect, it } from 'vitest'
import type { Ending } from '../sandbox/ending.ts'
import { assertDone, isTooHeavy, PartFailed, PartInterrupted } from './part-failed.ts'

const endedWith = (ending: Ending, stderr = '') => ({
  ...{ ending, stderr, stdout: Buffer.alloc(0), wallSeconds: 1, cpuSeconds: undefined },
})

it('an exit without a complaint is the end of a run', () => {
  expect(() => assertDone('ffmpeg', endedWith({ kind: 'exited', code: 0 }))).not.toThrow()
})

it.each<[Ending, string]>([
  [{ kind: 'aborted' }, 'aborted'],
  [{ kind: 'killed', signal: 'SIGKILL' }, 'killed'],
  [{ kind: 'not-started', reason: 'no bubblewrap' }, 'sandbox-failed'],
  [{ kind: 'limit', limit: 'time' }, 'too-slow'],
])('%j may go better another time', (ending, reason) => {
  const run = () => assertDone('ffmpeg', endedWith(ending))
  expect(run).toThrow(PartInterrupted)
  expect(run).toThrow(expect.objectContaining({ reason }))
})

it.each<[Ending]>([
  [{ kind: 'exited', code: 1 }],
  [{ kind: 'limit', limit: 'cpu' }],
  [{ kind: 'limit', limit: 'memory' }],
  [{ kind: 'crashed', signal: 'SIGSEGV' }],
])('%j is a failure, with the end of what was said', (ending) => {
  const run = () => assertDone('ffmpeg', endedWith(ending, `${'x'.repeat(9000)}the end`))
  expect(run).toThrow(PartFailed)
  expect(run).toThrow(expect.objectContaining({ stderr: `${'x'.repeat(3993)}the end` }))
})

it('too much for one run is what failed, and what took too long', () => {
  const thrown = (ending: Ending) => {
    try {
      assertDone('ffmpeg', endedWith(ending))
    } catch (error) {
      return error
    }
    throw new Error('It did not end badly')
  }
  const slow = thrown({ kind: 'limit', limit: 'time' })
  expect(slow).toMatchObject({ name: 'PartInterrupted', cause: expect.any(PartFailed) })
  const heavy = [
    slow,
    thrown({ kind: 'limit', limit: 'memory' }),
    thrown({ kind: 'exited', code: 1 }),
  ]
  expect(heavy.map(isTooHeavy)).toEqual([true, true, true])
  const away = [thrown({ kind: 'aborted' }), thrown({ kind: 'killed', signal: 'SIGKILL' })]
  expect([...away, new Error('Anything else'), undefined].map(isTooHeavy)).not.toContain(true)
})
