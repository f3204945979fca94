import { expect, it } from 'vitest'
import type { ExitStatus } from '../sandbox/exit-status.ts'
import { assertSucceeded, isTooHeavy, PartFailed, PartInterrupted } from './part-errors.ts'

const runWith = (exitStatus: ExitStatus, stderr = '') => ({
  ...{ exitStatus, stderr, stdout: Buffer.alloc(0), wallSeconds: 1, cpuSeconds: undefined },
})

it('assertSucceeded accepts exit code 0', () => {
  expect(() => assertSucceeded('ffmpeg', runWith({ kind: 'exited', code: 0 }))).not.toThrow()
})

it.each<[ExitStatus, string]>([
  [{ kind: 'aborted' }, 'aborted'],
  [{ kind: 'killed', signal: 'SIGKILL' }, 'killed'],
  [{ kind: 'not-started', reason: 'no bubblewrap' }, 'sandbox-failed'],
  [{ kind: 'limit', limit: 'time' }, 'too-slow'],
  [{ kind: 'worker-memory', bytes: 2 ** 30 }, 'worker-memory'],
])('assertSucceeded reports %j as an interruption', (exitStatus, reason) => {
  const run = () => assertSucceeded('ffmpeg', runWith(exitStatus))
  expect(run).toThrow(PartInterrupted)
  expect(run).toThrow(expect.objectContaining({ reason }))
})

it.each<[ExitStatus]>([
  [{ kind: 'exited', code: 1 }],
  [{ kind: 'limit', limit: 'cpu' }],
  [{ kind: 'limit', limit: 'memory' }],
  [{ kind: 'crashed', signal: 'SIGSEGV' }],
])('assertSucceeded reports %j as a failure, with the end of stderr', (exitStatus) => {
  const run = () => assertSucceeded('ffmpeg', runWith(exitStatus, `${'x'.repeat(9000)}the end`))
  expect(run).toThrow(PartFailed)
  expect(run).toThrow(expect.objectContaining({ stderr: `${'x'.repeat(3993)}the end` }))
})

it('isTooHeavy is true only for failures, timeouts and too little memory', () => {
  const thrown = (exitStatus: ExitStatus) => {
    try {
      assertSucceeded('ffmpeg', runWith(exitStatus))
    } catch (error) {
      return error
    }
    throw new Error('nothing was thrown')
  }
  const slow = thrown({ kind: 'limit', limit: 'time' })
  expect(slow).toMatchObject({ name: 'PartInterrupted', cause: expect.any(PartFailed) })
  const memory = [thrown({ kind: 'limit', limit: 'memory' }), thrown({ kind: 'worker-memory', bytes: 2 ** 30 })]
  const heavy = [slow, ...memory, thrown({ kind: 'exited', code: 1 })]
  expect(heavy.map(isTooHeavy)).toEqual([true, true, true, true])
  const interrupted = [thrown({ kind: 'aborted' }), thrown({ kind: 'killed', signal: 'SIGKILL' })]
  expect([...interrupted, new Error('Anything else'), undefined].map(isTooHeavy)).not.toContain(true)
})
