import { threadId } from 'node:worker_threads'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { describer } from './thread-pool.fixtures.ts'
import { ThreadPool } from './thread-pool.ts'

const ours = 'ours1234' as OrganizationId
const textOf = (length: number) => ({ text: 'x'.repeat(length) })
const KIB = 1024

it('ThreadPool parses a text of up to 64 KiB on the thread of its caller', async () => {
  await using threads = new ThreadPool()
  expect(await threads.parse(ours, describer, textOf(64 * KIB))).toEqual({ length: 64 * KIB, threadId })
})

it('ThreadPool parses a longer text on another thread', async () => {
  await using threads = new ThreadPool()
  const parsed = await threads.parse(ours, describer, textOf(64 * KIB + 1))
  expect(parsed.length).toBe(64 * KIB + 1)
  expect(parsed.threadId).not.toBe(threadId)
})

it('ThreadPool rejects with the error of the parser, and parses further texts', async () => {
  await using threads = new ThreadPool()
  const failing = { text: `throw${'x'.repeat(64 * KIB)}` }
  await expect(threads.parse(ours, describer, failing)).rejects.toThrow('cannot parse')
  for (let count = 0; count < 5; count++) {
    expect((await threads.parse(ours, describer, textOf(100 * KIB))).length).toBe(100 * KIB)
  }
})

it('ThreadPool refuses an organization that has 32 texts, but not another organization', async () => {
  await using threads = new ThreadPool()
  const large = textOf(100 * KIB)
  const accepted = Array.from({ length: 32 }, () => threads.parse(ours, describer, large))
  await expect(threads.parse(ours, describer, large)).rejects.toMatchObject({ code: 'unavailable' })
  const other = threads.parse('theirs12' as OrganizationId, describer, large)
  expect(await Promise.all([...accepted, other])).toHaveLength(33)
  expect((await threads.parse(ours, describer, large)).length).toBe(100 * KIB)
})

it('ThreadPool accepts a text of an organization while many others have texts waiting', async () => {
  await using threads = new ThreadPool()
  const large = textOf(100 * KIB)
  const others = Array.from({ length: 80 }, (_, index) =>
    threads.parse(`org${index >> 2}` as OrganizationId, describer, large),
  )
  expect((await threads.parse(ours, describer, large)).length).toBe(100 * KIB)
  expect(await Promise.all(others)).toHaveLength(80)
})
