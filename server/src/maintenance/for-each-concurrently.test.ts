import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { forEachConcurrently } from './for-each-concurrently.ts'

it('forEachConcurrently throws the first failure after the running items have ended', async () => {
  const [started, ended]: [number[], number[]] = [[], []]
  const work = async (item: number) => {
    started.push(item)
    if (item === 1) throw new Error('first')
    await sleep(20)
    ended.push(item)
  }
  const options = { concurrency: 2, signal: new AbortController().signal }
  await expect(forEachConcurrently([0, 1, 2, 3], options, work)).rejects.toThrow('first')
  expect({ started, ended }).toEqual({ started: [0, 1], ended: [0] })
})
