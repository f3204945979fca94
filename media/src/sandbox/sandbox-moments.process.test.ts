/** A sandbox is ended while it is being set up, too: nothing is ever left of it. */
import { describe, expect, it } from 'vitest'
import { childrenOf, sleepersWith } from '../../testing/processes.ts'
import { never, noInput, taskOf, uniqueSleep } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'
import type { TaskInput } from './task.ts'

describe.each(['bubblewrap', 'none'] as const)('at whatever moment, %s', (mode) => {
  /** The start takes some ten milliseconds; each of them is somebody's last. */
  const moments = Array.from({ length: 40 }, (_, index) => index * 0.7)

  /** socat listens before anything answers at the other end. */
  const relay: TaskInput = { kind: 'relay', socketPath: import.meta.filename }

  it.each(mode === 'bubblewrap' ? [noInput, relay] : [noInput])(
    'an abort ends everything: $kind',
    async (input) => {
      const sleep = uniqueSleep()
      for (const milliseconds of moments) {
        const stop = new AbortController()
        const run = runInSandbox({ mode }, taskOf('sleep', [sleep], { input }), stop.signal)
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        stop.abort()
        expect(await run).toMatchObject({ ending: { kind: 'aborted' } })
      }
      expect(sleepersWith(sleep)).toEqual([])
    },
  )

  it('a bubblewrap that is killed takes everything along', async () => {
    const sleep = uniqueSleep()
    const runs = moments.map(async (milliseconds) => {
      const run = runInSandbox({ mode }, taskOf('sleep', [sleep]), never)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      for (const id of childrenOf(process.pid)) process.kill(id, 'SIGKILL')
      return run
    })
    for (const run of await Promise.all(runs)) expect(run.ending.kind).toBe('killed')
    expect(sleepersWith(sleep)).toEqual([])
  })
})
