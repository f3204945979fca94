/** What holds for a worker without rights on its machine, and when it is killed. */
import { describe, expect, it, vi } from 'vitest'
import { sleepersWith } from '../../testing/processes.ts'
import {
  asOrdinaryUser,
  smallLimits,
  startWorker,
  taskOf,
  uniqueSleep,
} from '../../testing/tasks.ts'

describe.each(['bubblewrap', 'none'] as const)('a worker without rights, %s', (mode) => {
  it('survives that it has no descriptors left, and says so', async () => {
    const order = { mode, task: taskOf('true', []), usesUpDescriptors: true }
    expect((await asOrdinaryUser(order)).ending).toEqual({
      kind: 'not-started',
      reason: expect.stringContaining('EMFILE'),
    })
  })

  it('ends what it called off at once, long before its time is over', async () => {
    const sleep = uniqueSleep()
    const order = { mode, task: taskOf('sleep', [sleep]), abortAfterMilliseconds: 500 }
    const run = await asOrdinaryUser(order)
    expect(run).toMatchObject({ ending: { kind: 'aborted' } })
    expect(Reflect.get(run, 'wallSeconds')).toBeLessThan(smallLimits.wallSeconds / 2)
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('leaves nothing behind when it is killed', { timeout: 30_000 }, async () => {
    const sleep = uniqueSleep()
    const worker = startWorker({ mode, task: taskOf('sleep', [sleep]) })
    await vi.waitFor(() => expect(sleepersWith(sleep)).not.toEqual([]), { timeout: 10_000 })
    worker.kill('SIGKILL')
    // Nobody watches its time any more: what ends it is that the worker is gone.
    await vi.waitFor(() => expect(sleepersWith(sleep)).toEqual([]), { timeout: 10_000 })
  })
})

it('a worker without rights lets nobody inside multiply', async () => {
  const bomb = 'i=0; while [ $i -lt 100 ]; do sh -c "while :; do :; done" & i=$((i+1)); done; wait'
  const { ending, stderr } = await asOrdinaryUser({
    mode: 'bubblewrap',
    task: taskOf('sh', ['-c', bomb], { limits: { ...smallLimits, processes: 16 } }),
  })
  expect(stderr).toContain('Cannot fork')
  expect(ending).toEqual({ kind: 'exited', code: 2 })
})
