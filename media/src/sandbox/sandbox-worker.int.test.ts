/** Runs a worker without privileges, and kills it. */
import { describe, expect, it } from 'vitest'
import { sleepersWith } from '../../testing/processes.ts'
import { runUnprivileged, smallLimits, startWorker, taskOf, uniqueSleep } from '../../testing/tasks.ts'

describe.each(['bubblewrap', 'none'] as const)('an unprivileged worker in mode %s', (mode) => {
  it('reports EMFILE when it has no file descriptors left', async () => {
    const order = { mode, task: taskOf('true', []), usesUpDescriptors: true }
    expect((await runUnprivileged(order)).exitStatus).toEqual({
      kind: 'not-started',
      reason: expect.stringContaining('EMFILE'),
    })
  })

  it('ends an aborted program long before its time limit', async () => {
    const sleep = uniqueSleep()
    const order = { mode, task: taskOf('sleep', [sleep]), abortAfterMilliseconds: 500 }
    const run = await runUnprivileged(order)
    expect(run).toMatchObject({ exitStatus: { kind: 'aborted' } })
    expect(Reflect.get(run, 'wallSeconds')).toBeLessThan(smallLimits.wallSeconds / 2)
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('leaves no process when it is killed', async () => {
    const sleep = uniqueSleep()
    const worker = startWorker({ mode, task: taskOf('sleep', [sleep]) })
    await expect.poll(() => sleepersWith(sleep)).not.toEqual([])
    worker.kill('SIGKILL')
    // A dead worker cannot enforce the time limit: the program ends because its worker is dead.
    await expect.poll(() => sleepersWith(sleep)).toEqual([])
  })
})

it('an unprivileged worker limits the number of processes inside the sandbox', async () => {
  const bomb = 'i=0; while [ $i -lt 100 ]; do sh -c "while :; do :; done" & i=$((i+1)); done; wait'
  const { exitStatus, stderr } = await runUnprivileged({
    mode: 'bubblewrap',
    task: taskOf('sh', ['-c', bomb], { limits: { ...smallLimits, processes: 16 } }),
  })
  expect(stderr).toContain('Cannot fork')
  expect(exitStatus).toEqual({ kind: 'exited', code: 2 })
})
