/** Tests retries of failed jobs: a pause occupies no worker, and no crash loses or repeats an attempt. */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { Superuser, type WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endless, failing, longBackoff, openFixture, recording } from './job-fixture.ts'
import { refuseOnce } from './refuse-once.ts'

const fixture = await opened(openFixture('job_attempts'))
const { api, superuser } = fixture

let organizationId: OrganizationId
const db = () => api.forOrganization(organizationId)
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
  await superuser.query('truncate records')
})
afterEach(async () => {
  await superuser.query('delete from dbos.workflow_status')
})

/** The shared worker. If it was killed, the next call of `working` starts another one with the given ID. */
let common: WorkerProcess | undefined
async function working(id = 'slot-3'): Promise<WorkerProcess> {
  common ??= await fixture.startWorker({ WORKER_ID: id })
  return common
}
async function killWorker(): Promise<void> {
  const killed = common
  common = undefined
  await killed?.stop('SIGKILL')
}

const seen = async (what: string) => (await fixture.records(what)).length
const soon = (what: string) => expect.poll(() => seen(what), { interval: 50 })

/** The status of each attempt of a job. */
async function attempts(id: string): Promise<Record<string, string>> {
  const rows = await superuser.query<{ id: string; status: string }>(
    `select substr(workflow_uuid, length($1) + 2) as id, status from dbos.workflow_status
     where queue_partition_key = $1 order by created_at`,
    [organizationId],
  )
  return Object.fromEntries(
    rows.filter((row) => row.id.startsWith(id)).map((row) => [row.id.slice(id.length), row.status]),
  )
}
const attemptsSoon = (id: string) => expect.poll(() => attempts(id), { interval: 50 })

/** Ends the pauses before the next attempts; then returns the status of each attempt of a job. */
async function hurried(id: string) {
  await fixture.endDelays()
  return attempts(id)
}

/** Number of statements waiting for a lock in this database. */
async function countBlocked(): Promise<number> {
  const rows = await superuser.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

const allFailed = { '': 'SUCCESS', '/2': 'SUCCESS', '/3': 'ERROR' }

describe('an attempt that exceeds its time limit', () => {
  it.each([
    ['reacts to its abort signal', false, 0],
    ['ignores its abort signal and ends late', true, 2],
  ])('counts as failed even if it %s', async (_, ignoresAbort, endings) => {
    const worker = await working()
    await enqueueJob(db(), endless, { input: { note: 'late', ignoresAbort }, id: 'late' })
    await attemptsSoon('endless/late').toEqual({ '': 'SUCCESS', '/2': 'ERROR' })
    expect(await seen('late started')).toBe(2)
    const lines = worker.log.split('\n').filter((line) => line.includes(organizationId))
    expect(lines.join('\n')).toContain('endless took longer than 1 s')
    // An attempt that ignores the abort signal runs to its end, but has no effect on the status.
    await soon('late ended').toBe(endings)
    expect(await attempts('endless/late')).toEqual({ '': 'SUCCESS', '/2': 'ERROR' })
  })
})

describe('a failed attempt whose retry could not be enqueued', () => {
  it('is retried once the retry can be enqueued, and is not repeated itself', async () => {
    await using _ = await refuseOnce(superuser, {
      table: 'dbos.workflow_status',
      event: 'insert',
      condition: `new.workflow_uuid like '%/hindered/2'`,
    })
    try {
      await killWorker()
      // With a short lease, the worker soon checks for jobs that are assigned to it but not running.
      common = await fixture.startWorker({ WORKER_ID: 'slot-3', WORKER_LEASE_SECONDS: '3' })
      await enqueueJob(db(), failing, { input: { note: 'hindered' }, id: 'hindered' })
      await attemptsSoon('failing/hindered').toEqual(allFailed)
      expect(await seen('hindered')).toBe(3)
    } finally {
      await killWorker()
    }
  })
})

it('a successful attempt stays successful if Postgres first refuses to record it', async () => {
  await using _ = await refuseOnce(superuser, {
    table: 'dbos.workflow_status',
    event: 'update',
    condition: `new.workflow_uuid like '%recording/overloaded' and new.status <> 'PENDING'`,
  })
  await working()
  await enqueueJob(db(), recording, { input: { note: 'overloaded' }, id: 'overloaded' })
  await attemptsSoon('recording/overloaded').toEqual({ '': 'SUCCESS' })
  expect(await seen('overloaded')).toBe(1)
})

describe('jobs waiting for their next attempt', () => {
  it('delay no other job: with 40 jobs waiting, a job of another organization starts at once', async () => {
    await working()
    for (const hoarder of [db(), api.forOrganization(await fixture.newOrganizationId())]) {
      for (let index = 0; index < 20; index++) {
        await enqueueJob(hoarder, longBackoff, { input: { note: 'unlucky' } })
      }
    }
    await soon('unlucky').toBeGreaterThanOrEqual(32)
    await enqueueJob(api.forOrganization(await fixture.newOrganizationId()), recording, {
      input: {
        note: 'next',
      },
    })
    await soon('next').toBe(1)
    await soon('unlucky').toBe(40)
  })

  it('keep their ID, so enqueueing the same ID again has no effect', async () => {
    await working()
    await enqueueJob(db(), failing, { input: { note: 'same' }, id: 'same' })
    await soon('same').toBe(1)
    await enqueueJob(db(), failing, { input: { note: 'same' }, id: 'same' })
    await attemptsSoon('failing/same').toEqual(allFailed)
    await enqueueJob(db(), failing, { input: { note: 'same' }, id: 'same' })
    await expect.poll(() => fixture.countOpen(organizationId), { interval: 50 }).toBe(0)
    expect(await seen('same')).toBe(3)
  })

  it('have IDs that no other job can have, because job IDs with a slash are rejected', async () => {
    await expect(enqueueJob(db(), failing, { input: { note: '' }, id: 'same/2' })).rejects.toThrow('slash')
  })
})

describe('after kill -9 of a worker', () => {
  it('during the pause before a retry, another worker makes exactly the remaining attempts', async () => {
    await working()
    await enqueueJob(db(), longBackoff, { input: { note: 'paused' }, id: 'paused' })
    await attemptsSoon('long-backoff/paused').toEqual({ '': 'SUCCESS', '/2': 'DELAYED' })
    await killWorker()
    const survivor = await working('slot-4')
    await expect.poll(() => hurried('long-backoff/paused')).toEqual(allFailed)
    expect(await seen('paused')).toBe(3)
    await expect.poll(() => survivor.log).toContain('"msg":"job failed permanently"')
  })

  it('between a failed attempt and enqueueing its retry, no attempt is lost or repeated', async () => {
    await using blocker = await Superuser.open(fixture.env)
    await blocker.query('begin')
    // Blocks enqueueing the second attempt until this transaction ends.
    await blocker.query(`insert into dbos.workflow_status (workflow_uuid) values ($1)`, [
      `${organizationId}/failing/between/2`,
    ])
    const doomed = await working('slot-4')
    await enqueueJob(db(), failing, { input: { note: 'between' }, id: 'between' })
    const lines = () => doomed.log.split('\n').filter((line) => line.includes(organizationId))
    await expect.poll(() => lines().join('\n')).toContain('"msg":"job attempt failed"')
    await expect.poll(countBlocked, { interval: 50 }).toBe(1)
    await killWorker()
    await blocker.query('rollback')
    expect(await attempts('failing/between')).toEqual({ '': 'PENDING' })
    await working('slot-4')
    await attemptsSoon('failing/between').toEqual(allFailed)
    expect(await seen('between')).toBe(3)
  })

  it('between enqueueing a retry and recording the failure, no attempt is lost or repeated', async () => {
    await working('slot-4')
    await enqueueJob(db(), longBackoff, { input: { note: 'noted' }, id: 'noted' })
    await attemptsSoon('long-backoff/noted').toEqual({ '': 'SUCCESS', '/2': 'DELAYED' })
    await killWorker()
    await superuser.query(
      `update dbos.workflow_status set status = 'PENDING', completed_at = null where workflow_uuid = $1`,
      [`${organizationId}/long-backoff/noted`],
    )
    await working('slot-4')
    await expect.poll(() => hurried('long-backoff/noted')).toEqual(allFailed)
    expect(await seen('noted')).toBe(3)
  })
})
