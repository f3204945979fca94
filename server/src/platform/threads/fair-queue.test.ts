import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'

/** A queue whose tasks end when the test says so. */
function newQueue(limits: FairQueueLimits) {
  const queue = new FairQueue(limits)
  const started: string[] = []
  const ends: (() => void)[] = []
  return {
    queue,
    started,
    add: (key: string, name: string) =>
      queue.run(key, async () => {
        started.push(name)
        await new Promise<void>((end) => ends.push(end))
        return name
      }),
    /** Ends the running task that started first. */
    endOne: async () => {
      ends.shift()?.()
      await turn()
    },
  }
}

describe('FairQueue', () => {
  it('lets the keys take turns', async () => {
    const { started, add, endOne } = newQueue({ runningMax: 1, runningPerKeyMax: 1, tasksPerKeyMax: 9 })
    const tasks = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name.charAt(0), name))
    await turn()
    for (let count = 0; count < 6; count++) await endOne()
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(await Promise.all(tasks.filter((task) => task !== undefined))).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  })

  it('leaves room to other keys when one key runs its maximum', async () => {
    const { started, add, endOne } = newQueue({ runningMax: 3, runningPerKeyMax: 2, tasksPerKeyMax: 9 })
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void add(name.charAt(0), name)
    await turn()
    expect(started).toEqual(['a1', 'a2', 'b1'])
    await endOne()
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2'])
    await endOne()
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'a3'])
  })

  it('refuses a task only if its own key has too many', async () => {
    const { add, endOne } = newQueue({ runningMax: 1, runningPerKeyMax: 1, tasksPerKeyMax: 2 })
    expect([add('a', 'a1'), add('a', 'a2')]).not.toContain(undefined)
    expect(add('a', 'a3')).toBeUndefined()
    expect(add('b', 'b1')).toBeDefined()
    await turn()
    await endOne()
    expect(add('a', 'a4')).toBeDefined()
  })

  it('runs further tasks after one that failed', async () => {
    const queue = new FairQueue({ runningMax: 1, runningPerKeyMax: 1, tasksPerKeyMax: 2 })
    const failed = queue.run('a', () => Promise.reject(new Error('failed')))
    const next = queue.run('a', () => Promise.resolve('done'))
    await expect(failed).rejects.toThrow('failed')
    expect(await next).toBe('done')
  })
})
