/** Tests how a run of a schedule ends when it is aborted, and how long a worker keeps the claim of a schedule. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openJobMetrics } from '@reelkeep/server/platform/jobs/job-metrics.ts'
import { type Schedule, startSchedules } from '@reelkeep/server/platform/jobs/schedule.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openMetrics } from '@reelkeep/server/platform/observability/metrics.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { openFixture } from './job-fixture.ts'

const fixture = await opened(openFixture('schedules'))
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))

/** Starts a schedule and resolves when its run has started. */
async function startSchedule(name: string, run: Schedule['run'], { runSecondsMax = 600, cleanupSeconds = 600 } = {}) {
  const { registry } = openMetrics(() => database.connections)
  const lines: string[] = []
  const started = Promise.withResolvers<void>()
  const schedule: Schedule = {
    name,
    everySeconds: 3600,
    runSecondsMax,
    run: (turn) => {
      started.resolve()
      return run(turn)
    },
  }
  const running = await startSchedules({
    workerId: 'tester',
    database,
    logger: openLogger('info', { write: (line) => lines.push(line) }),
    metrics: openJobMetrics(registry),
    intervals: { pollSeconds: 0.1 },
    cleanupSeconds,
    schedules: [schedule],
  })
  await started.promise
  return {
    stop: () => running[Symbol.asyncDispose](),
    log: () => lines.join(''),
    metrics: () => registry.metrics(),
  }
}

describe('an aborted run of a schedule', () => {
  it('delays the stop of the worker until it has ended', async () => {
    let isOver = false
    const worker = await startSchedule('tidy', async ({ signal }) => {
      while (!signal.aborted) await sleep(50)
      await sleep(200)
      isOver = true
    })
    await worker.stop()
    expect(isOver).toBe(true)
    expect(worker.log()).toBe('')
  })

  it('delays the stop of the worker only for a limited time, and is then logged', async () => {
    const never = Promise.withResolvers<void>()
    const worker = await startSchedule('stubborn', () => never.promise, { cleanupSeconds: 0.5 })
    const start = performance.now()
    await worker.stop()
    expect(performance.now() - start).toBeGreaterThan(450)
    expect(worker.log()).toContain('"schedule":"stubborn"')
    expect(worker.log()).toContain('did not end')
  })

  it('counts as failed if its time limit caused the abort, even if it ends without an error', async () => {
    let isOver = false
    const run: Schedule['run'] = async ({ signal }) => {
      while (!signal.aborted) await sleep(50)
      await sleep(200)
      isOver = true
    }
    const worker = await startSchedule('slow', run, { runSecondsMax: 0.2 })
    await expect.poll(worker.log, { interval: 50 }).toContain('schedule failed')
    expect(isOver).toBe(true)
    expect(await worker.metrics()).toContain('{schedule="slow",outcome="failed"} 1')
    await worker.stop()
  })
})

describe('the claim of a schedule', async () => {
  await fixture.superuser.query(`
    create table releases (name text);
    create function record_release() returns trigger language plpgsql security definer as $$
      begin insert into public.releases values (new.name); return null; end $$;
    create trigger record_release after update on schedules for each row
      when (old.worker_id is not null and new.worker_id is null) execute function record_release()`)
  const releasesOf = (name: string) => fixture.superuser.query('select from releases where name = $1', [name])

  it('is kept between runs, and released when the worker stops', async () => {
    const worker = await startSchedule('kept', async () => {})
    await expect.poll(worker.metrics).toContain('{schedule="kept",outcome="done"} 1')
    // The second run starts when everything that follows the first has ended.
    await fixture.superuser.query(`update schedules set due_at = now() where name = 'kept'`)
    await expect.poll(worker.metrics).toContain('{schedule="kept",outcome="done"} 2')
    expect(await releasesOf('kept')).toEqual([])
    await worker.stop()
    expect(await releasesOf('kept')).toHaveLength(1)
  })

  it('is released after a run that failed', async () => {
    const worker = await startSchedule('failing', () => Promise.reject(new Error('failed on purpose')))
    await expect.poll(() => releasesOf('failing')).toHaveLength(1)
    await worker.stop()
  })
})
