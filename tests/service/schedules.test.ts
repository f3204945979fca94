/** How the run of a schedule ends, when it is told to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { openJobMetrics } from '@reelkeep/server/platform/jobs/job-metrics.ts'
import { type Schedule, startSchedules } from '@reelkeep/server/platform/jobs/schedule.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openMetrics } from '@reelkeep/server/platform/observability/metrics.ts'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { openStage } from './happenings.ts'

const stage = await opened(openStage('schedules'))
const database = await opened(
  Promise.resolve(
    new Database(
      { url: stage.env.DATABASE_WORKER_URL, connectionsMax: 4, statementTimeoutSeconds: 10 },
      () => {},
    ),
  ),
)

/** Starts a schedule of this run, and answers when it has begun. */
async function begin(name: string, run: Schedule['run'], runSecondsMax = 60) {
  const { registry } = openMetrics(() => database.connections)
  const lines: string[] = []
  const begun = Promise.withResolvers<void>()
  const schedule: Schedule = {
    name,
    everySeconds: 3600,
    runSecondsMax,
    run: (turn) => {
      begun.resolve()
      return run(turn)
    },
  }
  const running = await startSchedules({
    workerId: 'tester',
    database,
    logger: openLogger('info', { write: (line) => lines.push(line) }),
    metrics: openJobMetrics(registry, () => Promise.resolve([])),
    schedules: [schedule],
  })
  await begun.promise
  return {
    stop: () => running[Symbol.asyncDispose](),
    log: () => lines.join(''),
    metrics: () => registry.metrics(),
  }
}

describe('a run that is told to end', () => {
  it('is waited for when the worker stops: what it still needs is there', async () => {
    let isOver = false
    const worker = await begin('tidy', async ({ signal }) => {
      while (!signal.aborted) await sleep(50)
      await sleep(1000)
      isOver = true
    })
    await worker.stop()
    expect(isOver).toBe(true)
    expect(worker.log()).toBe('')
  })

  it('is not waited for for ever, and the log names it', async () => {
    const never = Promise.withResolvers<void>()
    const worker = await begin('stubborn', () => never.promise)
    const start = performance.now()
    await worker.stop()
    expect(performance.now() - start).toBeGreaterThan(2000)
    expect(performance.now() - start).toBeLessThan(8000)
    expect(worker.log()).toContain('"schedule":"stubborn"')
    expect(worker.log()).toContain('did not end')
  })

  it('has failed, though it ended, when it was told because of its time limit', async () => {
    let isOver = false
    const run: Schedule['run'] = async ({ signal }) => {
      while (!signal.aborted) await sleep(50)
      await sleep(500)
      isOver = true
    }
    const worker = await begin('slow', run, 1)
    await expect.poll(worker.log, { timeout: 5000 }).toContain('a schedule failed')
    expect(isOver).toBe(true)
    expect(await worker.metrics()).toContain('{schedule="slow",outcome="failed"} 1')
    await worker.stop()
  })
})
