import { describe, expect, it } from 'vitest'
import { cpuSecondsOf, exitStatusOf } from './exit-status.ts'
import type { ProcessResult } from './process.ts'

const report = (seconds: string) => `started\n0m0.00s 0m0.00s\n0m${seconds}s 0m0.00s\n`
const statusOf = (result: Partial<ProcessResult> & { stderrText?: string }, workerMemoryBytes?: number) =>
  exitStatusOf(
    {
      ...{
        startError: undefined,
        code: 0,
        killedBy: null,
        stopped: undefined,
        stdout: Buffer.alloc(0),
      },
      ...{ stderr: Buffer.from(result.stderrText ?? ''), report: report('0.10'), wallSeconds: 1 },
      ...result,
    },
    { cpuSeconds: 10, workerMemoryBytes },
  )

describe('exitStatusOf', () => {
  it('reports a memory limit as that of the worker if the worker has less memory than the task may use', () => {
    const outOfMemory = { code: 1, stderrText: 'x.mp4: Cannot allocate memory' }
    expect(statusOf(outOfMemory, 512)).toEqual({ kind: 'worker-memory', bytes: 512 })
    expect(statusOf({ code: 1 }, 512)).toEqual({ kind: 'exited', code: 1 })
  })

  it.each([
    [{ code: 0 }, { kind: 'exited', code: 0 }],
    [{ code: 1 }, { kind: 'exited', code: 1 }],
    [{ code: 255 }, { kind: 'exited', code: 255 }],
    [
      { code: 137, report: report('9.99') },
      { kind: 'limit', limit: 'cpu' },
    ],
    [{ code: 152 }, { kind: 'limit', limit: 'cpu' }],
    [{ code: 153 }, { kind: 'limit', limit: 'file' }],
    [
      { code: 255, report: report('9.99') },
      { kind: 'limit', limit: 'cpu' },
    ],
    [{ code: 137 }, { kind: 'killed', signal: 'SIGKILL' }],
    [
      { code: 137, report: 'started\n' },
      { kind: 'killed', signal: 'SIGKILL' },
    ],
    [
      { code: null, killedBy: 'SIGKILL' as const },
      { kind: 'killed', signal: 'SIGKILL' },
    ],
    [{ code: 139 }, { kind: 'crashed', signal: 'SIGSEGV' }],
    [
      { code: 134, stderrText: "terminate called after throwing 'std::bad_alloc'" },
      { kind: 'limit', limit: 'memory' },
    ],
    [{ code: 134 }, { kind: 'crashed', signal: 'SIGABRT' }],
    [{ code: 159 }, { kind: 'killed', signal: 'SIGSYS' }],
    [
      { code: 1, stderrText: 'x.mp4: Cannot allocate memory' },
      { kind: 'limit', limit: 'memory' },
    ],
    [
      { code: 0, stderrText: 'x.mp4: Cannot allocate memory' },
      { kind: 'limit', limit: 'memory' },
    ],
    [
      { code: null, killedBy: 'SIGKILL' as const, stopped: 'time' as const },
      { kind: 'limit', limit: 'time' },
    ],
    [
      { code: null, killedBy: 'SIGKILL' as const, stopped: 'output' as const },
      { kind: 'limit', limit: 'output' },
    ],
    [{ code: null, killedBy: 'SIGKILL' as const, stopped: 'aborted' as const }, { kind: 'aborted' }],
    [
      { code: 127, stderrText: 'sh: no' },
      { kind: 'not-started', reason: 'sh: no' },
    ],
    [
      { code: 1, report: '', stderrText: 'bwrap: No permissions' },
      { kind: 'not-started', reason: 'bwrap: No permissions' },
    ],
    [
      { startError: new Error('spawn ENOENT'), code: null },
      { kind: 'not-started', reason: 'spawn ENOENT' },
    ],
  ])('%j becomes %j', (result, expected) => {
    expect(statusOf(result)).toEqual(expected)
  })
})

describe('cpuSecondsOf', () => {
  it('adds the user and system time of the child processes', () => {
    expect(cpuSecondsOf('started\n0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n')).toBe(62.75)
  })

  it('returns undefined when the process was stopped before it reported', () => {
    expect(cpuSecondsOf('started\n')).toBeUndefined()
  })
})
