/** Tests enqueued jobs with real worker processes on a real Postgres. */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import type { WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failing, openFixture, recording, slow } from './job-fixture.ts'

const fixture = await opened(openFixture('jobs'))
const { api, superuser } = fixture

let organizationId: OrganizationId
/** A database connection with the role of the API. */
const db = () => api.forOrganization(organizationId)
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
  await superuser.query('truncate records')
})

const seen = async (what: string) => (await fixture.records(what)).length
const soon = (what: string) => expect.poll(() => seen(what), { interval: 50 })
/** Waits until the organization has no unfinished jobs, so that none can run a second time later. */
const allDone = (of = organizationId) => expect.poll(() => fixture.countOpen(of), { interval: 50 }).toBe(0)

describe('enqueueing a job before any worker has started', () => {
  it('opens no database connection of the job engine', async () => {
    await enqueueJob(db(), recording, { input: { note: 'quiet' } })
    const found = await superuser.query(
      `select application_name from pg_stat_activity where datname = 'jobs' and application_name like '%dbos%'`,
    )
    expect(found).toEqual([])
  })
})

/** The worker that all tests of a `describe` share. */
let worker: WorkerProcess
const withSharedWorker = () => {
  beforeAll(async () => {
    worker = await fixture.startWorker()
  })
  afterAll(async () => {
    await fixture.stopWorkers()
  })
}

describe('an enqueued job', () => {
  withSharedWorker()

  it('runs once when its transaction commits, for the organization that enqueued it', async () => {
    await db().transaction((tx) => enqueueJob(tx, recording, { input: { note: 'committed' } }))
    await soon('committed').toBe(1)
    expect((await fixture.records('committed'))[0]?.organization_id).toBe(organizationId)
    await allDone()
    expect(await seen('committed')).toBe(1)
  })

  it('runs if it was enqueued outside of a transaction', async () => {
    await enqueueJob(db(), recording, { input: { note: 'alone' } })
    await soon('alone').toBe(1)
  })

  it('runs even if its log attributes cannot be computed', async () => {
    await enqueueJob(db(), recording, { input: { note: 'unheard of' } })
    await soon('unheard of').toBe(1)
  })

  it('does not exist if its transaction rolls back', async () => {
    const undone = db().transaction(async (tx) => {
      await enqueueJob(tx, recording, { input: { note: 'undone' } })
      throw new Error('rolled back by the test')
    })
    await expect(undone).rejects.toThrow('rolled back by the test')
    await enqueueJob(db(), recording, { input: { note: 'later' } })
    await soon('later').toBe(1)
    expect(await seen('undone')).toBe(0)
  })

  it('runs once if it is enqueued twice with the same ID, and once more in another organization', async () => {
    const other = api.forOrganization(await fixture.newOrganizationId())
    await enqueueJob(db(), recording, { input: { note: 'same id' }, id: 'one' })
    await enqueueJob(db(), recording, { input: { note: 'same id' }, id: 'one' })
    await enqueueJob(other, recording, { input: { note: 'same id' }, id: 'one' })
    await soon('same id').toBe(2)
    await allDone()
    await allDone(other.organizationId)
    expect(await seen('same id')).toBe(2)
  })

  it('does not run before its delay has passed', async () => {
    const start = performance.now()
    await enqueueJob(db(), recording, { input: { note: 'delayed' }, delaySeconds: 1 })
    await soon('delayed').toBe(1)
    expect(performance.now() - start).toBeGreaterThan(950)
  })

  it('is retried with growing delays when it fails, and logged and counted as failed after its last attempt', async () => {
    await enqueueJob(db(), failing, { input: { note: 'hopeless' }, id: 'hopeless' })
    const outcome = async () => {
      const [row] = await superuser.query(
        `select status from dbos.workflow_status where workflow_uuid like '%/failing/hopeless/3'`,
      )
      return row
    }
    await expect.poll(outcome).toEqual({ status: 'ERROR' })
    await expect.poll(() => worker.log).toContain('"msg":"job failed permanently"')
    const times = (await fixture.records('hopeless')).map(({ at }) => at.getTime())
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(pauses).toHaveLength(2)
    expect(pauses[0]).toBeGreaterThan(450)
    expect(pauses[1]).toBeGreaterThan(950)
    const lines = worker.log.split('\n').filter((line) => line.includes('failed on purpose: hopeless'))
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(3).fill('job attempt failed'))
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'job attempt failed',
      job: 'failing',
      organization_id: organizationId,
      err: { message: 'failed on purpose: hopeless' },
    })
    const metrics = await (await fetch(`${worker.operationsUrl}/metrics`)).text()
    expect(metrics).toContain('reelkeep_jobs_total{job="failing",outcome="failed_attempt"} 3')
    expect(metrics).toContain('reelkeep_jobs_total{job="failing",outcome="failed"} 1')
    expect(metrics).toMatch(/reelkeep_jobs_waiting_seconds\{queue="light"\} 0/)
    expect(metrics).toMatch(/reelkeep_jobs_open\{queue="encode"\} 0/)
  })
})

describe('an organization', () => {
  it('can read and enqueue only its own jobs', async () => {
    const other = await fixture.newOrganizationId()
    await enqueueJob(db(), recording, { input: { note: 'mine' }, id: 'mine' })
    const ask = (as: string, text: string) =>
      api.forOrganization(as as OrganizationId).run({ name: '', text, values: () => [] })
    const count = 'select count(*)::int as count from dbos.workflow_status'
    expect(await ask(organizationId, count)).toEqual([[{ count: 1 }]])
    expect(await ask(other, count)).toEqual([[{ count: 0 }]])
    const inputs = 'select count(workflow_uuid)::int as count from dbos.workflow_input'
    expect(await ask(organizationId, inputs)).toEqual([[{ count: 1 }]])
    expect(await ask(other, inputs)).toEqual([[{ count: 0 }]])
    const forged = `insert into dbos.workflow_status (workflow_uuid, queue_partition_key) values ('x', '${organizationId}')`
    await expect(ask(other, forged)).rejects.toMatchObject({ code: '42501' })
    const input = `insert into dbos.workflow_input (workflow_uuid) values ('${organizationId}/recording/mine')`
    await expect(ask(other, input)).rejects.toMatchObject({ code: '42501' })
    for (const forbidden of [
      'select inputs from dbos.workflow_input',
      'select from dbos.operation_outputs',
      `update dbos.workflow_status set status = 'SUCCESS'`,
      'delete from dbos.workflow_status',
    ]) {
      await expect(ask(organizationId, forbidden)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('does not delay the first job of another organization, even with 300 waiting jobs', async () => {
    const other = api.forOrganization(await fixture.newOrganizationId())
    await db().transaction(async (tx) => {
      for (let index = 0; index < 300; index++) {
        await enqueueJob(tx, slow, { input: { note: 'hoard', seconds: 1 } })
      }
    })
    await fixture.startWorker()
    await soon('hoard started').toBeGreaterThan(20)
    await enqueueJob(other, recording, { input: { note: 'neighbor' } })
    await soon('neighbor').toBe(1)
    const [neighbor] = await fixture.records('neighbor')
    const earlier = (await fixture.records('hoard started')).filter(({ at }) => neighbor && at < neighbor.at)
    // If jobs ran in the order of enqueueing, all 300 would have started earlier.
    expect(earlier.length).toBeLessThan(150)
    await fixture.stopWorkers()
    await superuser.query(`delete from dbos.workflow_status where name = 'slow'`)
  })
})

describe('a schedule', () => {
  it('runs on one worker at a time, and skips a run that falls due during another run', async () => {
    await Promise.all([fixture.startWorker(), fixture.startWorker()])
    await soon('run done').toBeGreaterThanOrEqual(4)
    await fixture.stopWorkers()
    const runs = await fixture.records('run %')
    const started = runs.filter(({ what }) => what === 'run started')
    // Runs do not overlap: each run ends before the next one begins.
    const order = runs.map(({ what }) => what)
    expect(order.slice(0, 8)).toEqual(Array(4).fill(['run started', 'run done']).flat())
    // Two workers make no more runs than one worker would have made.
    const times = started.slice(0, 4).map(({ at }) => at.getTime())
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3 * 590)
  })
})

describe('a finished job', () => {
  it('is deleted after a week; a waiting job is not deleted', async () => {
    await enqueueJob(db(), recording, { input: { note: 'old' }, id: 'old' })
    await fixture.startWorker()
    const status = async () => {
      const [row] = await superuser.query<{ status: string }>(
        'select status from dbos.workflow_status where workflow_uuid = $1',
        [`${organizationId}/recording/old`],
      )
      return row?.status
    }
    await expect.poll(status).toBe('SUCCESS')
    await enqueueJob(db(), recording, { input: { note: 'young' }, id: 'young', delaySeconds: 3600 })
    await superuser.query(`
      update dbos.workflow_status set completed_at = completed_at - 8 * 86400000::bigint
      where completed_at is not null`)
    await superuser.query(`update schedules set due_at = now()`)
    const kept = () =>
      superuser.query<{ id: string }>(
        `select workflow_uuid as id from dbos.workflow_status where workflow_uuid like $1`,
        [`${organizationId}/%`],
      )
    await expect.poll(kept).toEqual([{ id: `${organizationId}/recording/young` }])
    const leftovers = await superuser.query(
      `select workflow_uuid as id from dbos.workflow_input where workflow_uuid like $1`,
      [`${organizationId}/%`],
    )
    expect(leftovers).toEqual([{ id: `${organizationId}/recording/young` }])
  })
})
