/** Aborting or killing a sandbox leaves no processes, even while it is being set up. */
import { describe, expect, it } from 'vitest'
import { childrenOf, sleepersWith } from '../../testing/processes.ts'
import { never, noInput, taskOf, uniqueSleep } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'
import type { TaskInput } from './task.ts'

describe.each(['bubblewrap', 'none'] as const)('ending a starting sandbox in mode %s', (mode) => {
  /** Times at which the sandbox is ended. Setting it up takes about ten milliseconds. */
  const moments = Array.from({ length: 40 }, (_, index) => index * 0.7)

  /** A socket path on which no server listens; socat starts nevertheless. */
  const relay: TaskInput = { kind: 'relay', socketPath: import.meta.filename }

  it.each(mode === 'bubblewrap' ? [noInput, relay] : [noInput])(
    'abort leaves no process (input: $kind)',
    async (input) => {
      const sleep = uniqueSleep()
      for (const milliseconds of moments) {
        const stop = new AbortController()
        const run = runInSandbox({ mode }, taskOf('sleep', [sleep], { input }), stop.signal)
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        stop.abort()
        expect(await run).toMatchObject({ exitStatus: { kind: 'aborted' } })
      }
      expect(sleepersWith(sleep)).toEqual([])
    },
  )

  it('killing bubblewrap leaves no process', async () => {
    const sleep = uniqueSleep()
    const runs = moments.map(async (milliseconds) => {
      const run = runInSandbox({ mode }, taskOf('sleep', [sleep]), never)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      for (const id of childrenOf(process.pid)) process.kill(id, 'SIGKILL')
      return run
    })
    for (const run of await Promise.all(runs)) expect(run.exitStatus.kind).toBe('killed')
    expect(sleepersWith(sleep)).toEqual([])
  })
})
