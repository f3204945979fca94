/** Checks that aborting or killing a sandbox leaves no processes, even while it is being set up. */
import { describe, expect, it } from 'vitest'
import { childrenOf, sleepersWith } from '../../testing/processes.ts'
import { never, noInput, taskOf, uniqueSleep } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'
import type { TaskInput } from './task.ts'

describe.each(['bubblewrap', 'none'] as const)('a sandbox in mode %s that is ended while it starts', (mode) => {
  /** Milliseconds after which the sandbox is ended. Setting it up takes about ten milliseconds. */
  const moments = Array.from({ length: 40 }, (_, index) => index * 0.7)

  /** A socket path on which no server listens; socat starts nevertheless. */
  const relay: TaskInput = { kind: 'relay', socketPath: import.meta.filename }

  it.each(mode === 'bubblewrap' ? [noInput, relay] : [noInput])(
    'leaves no process after an abort (input: $kind)',
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

  it('leaves no process after its first process is killed', async () => {
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
