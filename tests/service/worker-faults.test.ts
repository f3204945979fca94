/**
 * Workers are killed, stopped and left without Postgres in the middle of a job. What was promised
 * is done all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Database, type OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { promiseJob } from '@reelkeep/server/platform/jobs/promise.ts'
import { OwnPostgres, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noting, openStage, slow } from './happenings.ts'

const stage = await opened(openStage('worker_faults'))

function openApi(url: string): Database {
  return new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
}
const api = await opened(Promise.resolve(openApi(stage.env.DATABASE_URL)))

let db: OrganizationDb
beforeEach(async () => {
  db = api.forOrganization(await stage.newOrganizationId())
  await stage.superuser.query('truncate happenings, worker_leases')
})
afterEach(async () => {
  await stage.stopWorkers()
})

const seen = async (what: string) => (await stage.happenings(what)).length
const soon = (what: string, timeout = 10_000) =>
  expect.poll(() => seen(what), { timeout, interval: 50 })

/** Two workers: the one that took what was promised, and the other. */
async function startTwo(settings: Record<string, string>, promise: () => Promise<void>) {
  const [one, two] = [await stage.startWorker(settings), await stage.startWorker(settings)]
  await promise()
  const begun = async () =>
    (await stage.happenings('% begun')).find(({ what }) => what !== 'turn begun')?.pid
  await expect.poll(begun, { timeout: 10_000, interval: 50 }).toBeDefined()
  return (await begun()) === one.child.pid ? ([one, two] as const) : ([two, one] as const)
}

describe('kill -9 in the middle of a job', () => {
  it('another worker finishes it when the lease has run out', async () => {
    const [doomed, survivor] = await startTwo({}, () =>
      promiseJob(db, slow, { note: 'orphan', seconds: 3 }),
    )
    await doomed.stop('SIGKILL')
    await soon('orphan begun', 25_000).toBe(2)
    await soon('orphan done').toBe(1)
    expect((await stage.happenings('orphan done'))[0]?.pid).toBe(survivor.child.pid)
    expect(survivor.log).toContain('a worker fell silent; its job is given back')
  })

  it('the same worker finishes it at once when it starts again', async () => {
    const settings = { WORKER_ID: 'slot-7' }
    const first = await stage.startWorker(settings)
    await promiseJob(db, slow, { note: 'restarted', seconds: 2 })
    await soon('restarted begun').toBe(1)
    await first.stop('SIGKILL')
    await stage.startWorker(settings)
    // Long before its lease would have run out.
    await soon('restarted begun', 8000).toBe(2)
    await soon('restarted done').toBe(1)
  })
})

describe('SIGTERM', () => {
  it('exit code 0, and a job that can end in time does', async () => {
    const worker = await stage.startWorker({ WORKER_DRAIN_SECONDS: '10' })
    const metrics = async () => (await fetch(`${worker.operationsUrl}/metrics`)).text()
    expect(await metrics()).toContain('reelkeep_worker_queues{queue="light"} 1')
    await promiseJob(db, slow, { note: 'drained', seconds: 4 })
    await soon('drained begun').toBe(1)
    const stopped = worker.stop('SIGTERM')
    const readiness = async () => (await fetch(`${worker.operationsUrl}/readyz`)).status
    await expect.poll(readiness, { interval: 50 }).toBe(503)
    expect(await metrics()).not.toContain('reelkeep_worker_queues{')
    await promiseJob(db, noting, { note: 'too late' })
    expect(await stopped).toBe(0)
    expect(await seen('drained done')).toBe(1)
    expect(await seen('too late')).toBe(0)
    await stage.startWorker()
    await soon('too late').toBe(1)
    await sleep(1000)
    expect(await seen('drained begun')).toBe(1)
  })

  it('one that cannot is interrupted, and taken up by another worker at once', async () => {
    const [worker] = await startTwo({ WORKER_DRAIN_SECONDS: '1' }, () =>
      promiseJob(db, slow, { note: 'long', seconds: 5 }),
    )
    expect(await worker.stop('SIGTERM')).toBe(0)
    await soon('long begun', 8000).toBe(2)
    await soon('long done').toBe(1)
    expect(worker.log).not.toContain('an attempt at a job failed')
  })
})

describe('a job that the engine gave to a worker which never heard of it', () => {
  it('is given back by that worker, though it lives, and done', async () => {
    const worker = await stage.startWorker({ WORKER_ID: 'slot-8' })
    await promiseJob(db, noting, { note: 'astray' }, { id: 'astray', delaySeconds: 3600 })
    // As a claim whose answer was lost leaves it.
    await stage.superuser.query(
      `update dbos.workflow_status set status = 'PENDING', executor_id = 'slot-8', owner_xid = 'lost'
       where workflow_uuid like '%/noting/astray'`,
    )
    await soon('astray', 15_000).toBe(1)
    await expect.poll(() => worker.log).toContain('a job went astray; it is given back')
  })

  it('has not been taken up, however often: a job that only newer workers know is left whole for them', async () => {
    const worker = await stage.startWorker()
    await promiseJob(db, { name: 'of-tomorrow', queue: 'light' }, {}, { id: 'newer' })
    const givenBack = () => worker.log.split('a job went astray; it is given back').length - 1
    await expect.poll(givenBack, { timeout: 40_000 }).toBeGreaterThanOrEqual(3)
    const [row] = await stage.superuser.query<{ count: number }>(
      `select recovery_attempts::int as count from dbos.workflow_status
       where workflow_uuid like '%/of-tomorrow/newer'`,
    )
    expect(row?.count).toBeLessThanOrEqual(1)
    await stage.superuser.query(`delete from dbos.workflow_status where name = 'of-tomorrow'`)
  })
})

describe('a job that a worker has taken up and not begun when it is told to stop', () => {
  it('is done before that or left to another, and has not failed', async () => {
    await using blocker = await Superuser.open(stage.env)
    const worker = await stage.startWorker()
    await promiseJob(db, slow, { note: 'under way', seconds: 20 })
    await soon('under way begun').toBe(1)
    await blocker.query('begin')
    // Before an attempt begins, it is looked up here whether it has failed already.
    await blocker.query('lock table dbos.operation_outputs in access exclusive mode')
    await promiseJob(db, noting, { note: 'not begun' }, { id: 'not-begun' })
    const status = async () => {
      const [row] = await stage.superuser.query<{ status: string }>(
        `select status from dbos.workflow_status where workflow_uuid like '%/noting/not-begun'`,
      )
      return row?.status
    }
    await expect.poll(status).toBe('PENDING')
    const stopped = worker.stop('SIGTERM')
    await expect.poll(() => worker.log).toContain('Shutting down while')
    await blocker.query('rollback')
    expect(await stopped).toBe(0)
    expect(await status()).toBeOneOf(['ENQUEUED', 'SUCCESS'])
    await stage.startWorker()
    await expect.poll(status, { timeout: 10_000 }).toBe('SUCCESS')
    expect(await seen('not begun')).toBe(1)
  })
})

describe('a worker whose database lacks a migration', () => {
  it('waits, takes nothing, and works when the migration has come', async () => {
    const { superuser } = stage
    const [{ version = '' } = {}] = await superuser.query<{ version: string }>(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning version',
    )
    await promiseJob(db, noting, { note: 'migrated' })
    const starting = stage.startWorker()
    await sleep(3000)
    expect(await seen('migrated')).toBe(0)
    await superuser.query('insert into schema_migrations values ($1)', [version])
    await starting
    await soon('migrated').toBe(1)
  })
})

describe('Postgres is killed and comes back after every lease has run out', () => {
  it('what ran is finished where it ran, what waits is done, and the schedules go on', async () => {
    await using postgres = await OwnPostgres.start('jobs')
    await using own = await openStage('', postgres.env)
    const workers = [await own.startWorker(), await own.startWorker()]
    await using near = openApi(postgres.env.DATABASE_URL)
    const there = near.forOrganization(await own.newOrganizationId())
    const promised = ['one', 'two', 'three', 'four']
    for (const note of promised) await promiseJob(there, slow, { note, seconds: 45 })
    for (const note of promised) {
      const begun = async () => (await own.happenings(`${note} begun`)).length
      await expect.poll(begun, { timeout: 20_000 }).toBe(1)
    }
    await promiseJob(there, noting, { note: 'waits' }, { delaySeconds: 6 })
    await own.superuser[Symbol.asyncDispose]()
    await postgres.kill()
    await sleep(12_000)
    const ready = async () =>
      Promise.all(workers.map(async (worker) => (await fetch(`${worker.operationsUrl}/readyz`)).ok))
    expect(await ready()).toEqual([false, false])
    await postgres.restart()
    await expect.poll(ready, { timeout: 20_000 }).toEqual([true, true])
    await using after = await Superuser.open(postgres.env)
    const happened = async (what: string) =>
      (await after.query('select from happenings where what like $1', [what])).length
    await expect.poll(() => happened('waits'), { timeout: 20_000 }).toBe(1)
    const turns = await happened('turn done')
    await expect.poll(() => happened('turn done'), { timeout: 20_000 }).toBeGreaterThan(turns)
    for (const note of promised) {
      await expect.poll(() => happened(`${note} done`), { timeout: 60_000 }).toBe(1)
      expect(await happened(`${note} begun`), note).toBe(1)
    }
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null])
    for (const { log } of workers) expect(log).not.toContain('a worker fell silent')
  })
})
