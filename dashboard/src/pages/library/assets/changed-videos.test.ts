import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChangedVideos } from './changed-videos.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reads videos that change within a moment together', async () => {
  const batches: (readonly string[])[] = []
  const changed = new ChangedVideos(async (ids) => void batches.push(ids))
  for (const id of ['a', 'b', 'a']) changed.add(id)
  await vi.runAllTimersAsync()
  expect(batches).toEqual([['a', 'b']])
})

it('does not read a video again before the previous read has ended, so an older response cannot replace a newer one', async () => {
  const reads: PromiseWithResolvers<void>[] = []
  const changed = new ChangedVideos(() => {
    reads.push(Promise.withResolvers<void>())
    return reads.at(-1)?.promise ?? Promise.resolve()
  })
  changed.add('a')
  await vi.runAllTimersAsync()
  changed.add('a')
  await vi.runAllTimersAsync()
  expect(reads).toHaveLength(1)
  reads[0]?.resolve()
  await vi.runAllTimersAsync()
  expect(reads).toHaveLength(2)
})

it('reads nothing after the list was closed', async () => {
  const read = vi.fn(async () => {})
  const changed = new ChangedVideos(read)
  changed.add('a')
  changed.close()
  await vi.runAllTimersAsync()
  expect(read).not.toHaveBeenCalled()
})
