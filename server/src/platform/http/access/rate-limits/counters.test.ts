import { createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Database } from '../../../db/database.ts'
import { memoryCounter, sharedCounter } from './counters.ts'

it('memoryCounter adds the points of a key and reads them by adding none', async () => {
  const counter = memoryCounter()
  expect(await counter.add('a', 0)).toMatchObject({ points: 0 })
  expect(await counter.add('a', 2)).toMatchObject({ points: 2 })
  expect(await counter.add('b', 1)).toMatchObject({ points: 1 })
  const { points, resetSeconds } = await counter.add('a', 3)
  expect(points).toBe(5)
  expect(resetSeconds).toBeLessThanOrEqual(60)
})

it('memoryCounter keeps nothing for a key that is only read', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  expect(await memoryCounter().add('a', 0)).toEqual({ points: 0, resetSeconds: 60 })
  expect(vi.getTimerCount()).toBe(0)
})

it('sharedCounter counts in memory while the database is unavailable, and reports it once', async () => {
  const port = await closedPort()
  const options = { connectionsMax: 4, connectTimeoutSeconds: 1, statementTimeoutSeconds: 1 }
  await using database = new Database({ url: `postgres://nobody@127.0.0.1:${port}/none`, ...options }, () => {})
  const errors: unknown[] = []
  const counter = sharedCounter({ database, prefix: 'x:', pointsMax: 10, onError: (error) => errors.push(error) })
  expect(await counter.add('a', 2)).toMatchObject({ points: 2 })
  expect(await counter.add('a', 3)).toMatchObject({ points: 5 })
  expect(errors).toHaveLength(1)
})

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
