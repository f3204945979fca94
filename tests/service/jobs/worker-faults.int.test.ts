/** Kills workers, stops them and disconnects them from Postgres during a job. Every enqueued job must still run. */
import type { OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { OwnPostgres, openDatabase, Superuser, type WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gated, openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('worker_faults'))

let db: OrganizationDb
beforeEach(async () => {
  db = fixture.api.forOrganization(await fixture.newOrganizationId())
  await fixture.superuser.query('truncate records, worker_leases')
})
afterEach(async () => {
  await fixture.stopWorkers()
  await fixture.superuser.query('delete from dbos.workflow_status')
})

const seen = async (what: string) => (await fixture.records(what)).length
const soon = (what: string) => expect.poll(() => seen(what), { interval: 50 })

/** Longer than any test, so a test with this lease fails if the code waits for the lease to expire. */
const longLease = { WORKER_LEASE_SECONDS: '300' }

/** Short enough for tests to wait until the lease has expired. On a busy machine, a live worker may lose it. */
const shortLease = { WORKER_LEASE_SECONDS: '1' }

/** Starts two workers and enqueues a job. Returns the worker that claimed the job first in the pair. */
async function startTwo(settings: Record<string, string>, enqueue: () => Promise<void>) {
  const [one, two] = await Promise.all([fixture.startWorker(settings), fixture.startWorker(settings)])
  await enqueue()
  const started = async () => (await fixture.records('% started')).find(({ what }) => what !== 'run started')?.pid
  await expect.poll(started, { interval: 50 }).toBeDefined()
  return (await started()) === one.child.pid ? ([one, two] as const) : ([two, one] as const)
}

describe('after kill -9 during a job', () => {
  it('another worker finishes the job when the lease has expired', async () => {
    const [doomed, survivor] = await startTwo(shortLease, () => enqueueJob(db, gated, { input: { note: 'orphan' } }))
    await doomed.stop('SIGKILL')
    const isBegunAgain = async () =>
      (await fixture.records('orphan started')).some(({ pid }) => pid === survivor.child.pid)
    await expect.poll(isBegunAgain, { interval: 50 }).toBe(true)
    await fixture.openGate('orphan')
    await soon('orphan done').toBeGreaterThan(0)
    expect((await fixture.records('orphan done'))[0]?.pid).toBe(survivor.child.pid)
    await expect.poll(() => doomed.log + survivor.log).toContain('worker lease expired; job released')
  })

  it('the same worker finishes the job when it restarts, without waiting for the lease', async () => {
    const settings = { ...longLease, WORKER_ID: 'slot-7' }
    const first = await fixture.startWorker(settings)
    await enqueueJob(db, gated, { input: { note: 'restarted' } })
    await soon('restarted started').toBe(1)
    await first.stop('SIGKILL')
    await fixture.startWorker(settings)
    await soon('restarted started').toBe(2)
    await fixture.openGate('restarted')
    await soon('restarted done').toBe(1)
  })
})

describe('a worker after SIGTERM', () => {
  it('finishes a job that ends in time, and exits with 0', async () => {
    const worker = await fixture.startWorker({ WORKER_DRAIN_SECONDS: '300', LOG_LEVEL: 'trace' })
    const metrics = async () => (await fetch(`${worker.operationsUrl}/metrics`)).text()
    expect(await metrics()).toContain('reelkeep_worker_queues{queue="light"} 1')
    await enqueueJob(db, gated, { input: { note: 'drained' } })
    await soon('drained started').toBe(1)
    const stopped = worker.stop('SIGTERM')
    await expect.poll(() => worker.log, { interval: 50 }).toContain('Deactivating queue runner')
    expect((await fetch(`${worker.operationsUrl}/readyz`)).status).toBe(503)
    expect(await metrics()).not.toContain('reelkeep_worker_queues{')
    await enqueueJob(db, recording, { input: { note: 'too late' } })
    await fixture.openGate('drained')
    expect(await stopped).toBe(0)
    expect(await seen('drained done')).toBe(1)
    expect(await seen('too late')).toBe(0)
    await fixture.startWorker()
    await soon('too late').toBe(1)
    await expect.poll(() => fixture.countOpen(db.organizationId)).toBe(0)
    expect(await seen('drained started')).toBe(1)
  })

  it('aborts a job that does not end in time; another worker claims it without waiting for the lease', async () => {
    const [worker] = await startTwo({ ...longLease, WORKER_DRAIN_SECONDS: '0' }, () =>
      enqueueJob(db, gated, { input: { note: 'long' } }),
    )
    expect(await worker.stop('SIGTERM')).toBe(0)
    await soon('long started').toBe(2)
    await fixture.openGate('long')
    await soon('long done').toBe(1)
    expect(worker.log).not.toContain('job attempt failed')
  })
})

describe('a job assigned to a worker that does not run it', () => {
  it('is released by that worker, and then runs', async () => {
    const worker = await fixture.startWorker({ ...shortLease, WORKER_ID: 'slot-8' })
    await enqueueJob(db, recording, { input: { note: 'astray' }, id: 'astray', delaySeconds: 3600 })
    // Simulates the state after a claim whose response was lost.
    await fixture.superuser.query(
      `update dbos.workflow_status set status = 'PENDING', executor_id = 'slot-8', owner_xid = 'lost'
       where workflow_uuid like '%/recording/astray'`,
    )
    await soon('astray').toBeGreaterThan(0)
    await expect.poll(() => worker.log).toContain('lost job released')
  })

  it('does not use up its recovery attempts, so that a newer worker can run it later', async () => {
    const worker = await fixture.startWorker(shortLease)
    await enqueueJob(db, { name: 'newer-job', queue: 'light' }, { input: {}, id: 'newer' })
    const releases = () => worker.log.split('lost job released').length - 1
    await expect.poll(releases).toBeGreaterThanOrEqual(3)
    const [row] = await fixture.superuser.query<{ count: number }>(
      `select recovery_attempts::int as count from dbos.workflow_status
       where workflow_uuid like '%/newer-job/newer'`,
    )
    expect(row?.count).toBeLessThanOrEqual(1)
  })
})

describe('a job that is claimed but not started when the worker is stopped', () => {
  it('runs on that worker before it exits, or later on another worker, and does not fail', async () => {
    await using blocker = await Superuser.open(fixture.env)
    const worker = await fixture.startWorker()
    await enqueueJob(db, gated, { input: { note: 'under way' } })
    await soon('under way started').toBe(1)
    await blocker.query('begin')
    // Blocks the start of an attempt, which first checks this table for an earlier failure.
    await blocker.query('lock table dbos.operation_outputs in access exclusive mode')
    await enqueueJob(db, recording, { input: { note: 'not started' }, id: 'not-started' })
    const status = async () => {
      const [row] = await fixture.superuser.query<{ status: string }>(
        `select status from dbos.workflow_status where workflow_uuid like '%/recording/not-started'`,
      )
      return row?.status
    }
    await expect.poll(status).toBe('PENDING')
    const stopped = worker.stop('SIGTERM')
    await expect.poll(() => worker.log).toContain('Shutting down while')
    await blocker.query('rollback')
    expect(await stopped).toBe(0)
    expect(await status()).toBeOneOf(['ENQUEUED', 'SUCCESS'])
    await fixture.startWorker()
    await expect.poll(status).toBe('SUCCESS')
    expect(await seen('not started')).toBe(1)
  })
})

describe('a worker whose database lacks a migration', () => {
  it('waits without claiming jobs, and starts to run jobs after the migration', async () => {
    const { superuser } = fixture
    const [{ version = '' } = {}] = await superuser.query<{ version: string }>(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning version',
    )
    await enqueueJob(db, recording, { input: { note: 'migrated' } })
    const worker = await fixture.launchWorker()
    await expect.poll(() => worker.log, { interval: 50 }).toContain('waiting for the database')
    // A worker without a lease cannot claim jobs.
    expect(await superuser.query('select from worker_leases')).toEqual([])
    expect(await seen('migrated')).toBe(0)
    await superuser.query('insert into schema_migrations values ($1)', [version])
    await worker.ready()
    await soon('migrated').toBe(1)
  })
})

/** How often the workers have checked for jobs of dead workers. */
async function countChecks(workers: readonly WorkerProcess[]): Promise<number> {
  const pages = workers.map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/metrics`)).text())
  const counts = (await Promise.all(pages)).map((text) => {
    const [, count] = /runs_total\{schedule="recover-jobs",outcome="done"\} (\d+)/.exec(text) ?? []
    return Number(count ?? 0)
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Resolves when the workers have made one more complete check for jobs of dead workers. */
async function waitForCheck(workers: readonly WorkerProcess[]): Promise<void> {
  const before = await countChecks(workers)
  await expect.poll(() => countChecks(workers), { interval: 50 }).toBeGreaterThan(before + 1)
}

/** Statements that expire all leases and prevent their renewal (`begin`), and that allow it again (`end`). */
const noHeartbeats = {
  begin: `
    begin;
    lock table worker_leases in exclusive mode;
    update worker_leases set seen_at = seen_at - interval '1 hour';
    create function refuse_heartbeats() returns trigger language plpgsql as
      $$ begin raise exception 'no heartbeats'; end $$;
    create trigger refuse_heartbeats before insert or update on worker_leases
      execute function refuse_heartbeats();
    commit`,
  end: 'drop trigger refuse_heartbeats on worker_leases; drop function refuse_heartbeats',
}

describe('when Postgres is killed and comes back after every lease has expired', () => {
  it('running jobs finish on their workers, waiting jobs run, and schedules continue', async () => {
    await using postgres = await OwnPostgres.start('jobs')
    await using own = await openFixture('', postgres.env)
    const workers = await Promise.all([own.startWorker(), own.startWorker()])
    await using near = openDatabase(postgres.env.DATABASE_URL)
    const there = near.forOrganization(await own.newOrganizationId())
    const notes = ['one', 'two', 'three', 'four']
    for (const note of notes) await enqueueJob(there, gated, { input: { note } })
    for (const note of notes) {
      const started = async () => (await own.records(`${note} started`)).length
      await expect.poll(started).toBe(1)
    }
    await enqueueJob(there, recording, { input: { note: 'waits' }, delaySeconds: 6 })
    await own.superuser.query(noHeartbeats.begin)
    await own.superuser[Symbol.asyncDispose]()
    await postgres.kill()
    const ready = async () =>
      Promise.all(workers.map(async (worker) => (await fetch(`${worker.operationsUrl}/readyz`)).ok))
    await expect.poll(ready).toEqual([false, false])
    await postgres.restart()
    await expect.poll(ready).toEqual([true, true])
    await using after = await Superuser.open(postgres.env)
    const happened = async (what: string) =>
      (await after.query('select from records where what like $1', [what])).length
    await waitForCheck(workers)
    await after.query(noHeartbeats.end)
    const renewed = () => after.query(`select from worker_leases where seen_at > now() - interval '5 minutes'`)
    await expect.poll(renewed).toHaveLength(2)
    // Pretends that the workers have renewed their leases for an hour, so that they may reclaim each other's jobs.
    await after.query(`update worker_leases set steady_since = steady_since - interval '1 hour'`)
    await waitForCheck(workers)
    await expect.poll(() => happened('waits')).toBe(1)
    const runs = await happened('run done')
    await expect.poll(() => happened('run done')).toBeGreaterThan(runs)
    for (const note of notes) {
      await after.query('insert into gates values ($1)', [note])
      await expect.poll(() => happened(`${note} done`)).toBe(1)
      expect(await happened(`${note} started`), note).toBe(1)
    }
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null])
    for (const { log } of workers) expect(log).not.toContain('worker lease expired')
  })
})
