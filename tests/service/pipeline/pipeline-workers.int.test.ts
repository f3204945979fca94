/** Tests workers that stop during processing, and the queues from which workers claim jobs. */
import type { Caller } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refuseOnce } from '../jobs/refuse-once.ts'
import { failuresOf, openPipelineFixture, soon, statusOf, timelineOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('pipeline_workers'))

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newOrganization()
})
afterEach(async () => {
  await fixture.stopWorkers()
  await fixture.superuser.query('delete from dbos.workflow_status')
  await fixture.superuser.query('truncate step_changes, worker_leases')
})

const status = (assetId: string) => statusOf(caller, assetId)

/** Enqueues a job on the light queue by purging an asset, and waits until the job is done. */
async function lightWork(): Promise<void> {
  const assetId = await fixture.upload(caller)
  await caller.delete(`assets/${assetId}/?permanently=true`)
  const freed = () =>
    fixture.superuser.query(`select from dbos.workflow_status where name = 'free-assets' and status = 'SUCCESS'`)
  await soon(async () => (await freed()).length).toBe(1)
}

describe('a worker that is frozen for longer than its lease', () => {
  it('resumes, finds its step reclaimed, and publishes nothing', async () => {
    const frozen = await fixture.startWorker({ WORKER_ID: 'frozen' })
    const assetId = await fixture.upload(caller, { isGated: true, ignoresAbort: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    frozen.child.kill('SIGSTOP')
    await fixture.openGate(assetId)
    await fixture.startWorker()
    await fixture.expireLease('frozen')
    await soon(() => status(assetId)).toBe('Completed')
    frozen.child.kill('SIGCONT')
    await soon(() => frozen.log).toContain('step was claimed by another attempt; result discarded')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 3', 'video-package 4'])
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'done', token: 3 })
    const timeline = (await timelineOf(caller, assetId)).map(({ what }) => what)
    expect(timeline.filter((what) => what === 'completed')).toHaveLength(1)
    expect(timeline).toContain('taken_over')
  })
})

describe('a worker whose claim was lost by a failover to an asynchronous standby', () => {
  it('finds that another attempt with the same number owns the step, and publishes nothing', async () => {
    const first = await fixture.startWorker({ WORKER_ID: 'first' })
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ token: 2 })
    first.child.kill('SIGSTOP')
    await fixture.superuser.query('update pipelines set last_token = 1 where asset_id = $1', [assetId])
    const second = await fixture.startWorker()
    await fixture.expireLease('first')
    await soon(async () => (await fixture.step(assetId, 'encode'))?.claimCount).toBe(2)
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'running', token: 2 })
    first.child.kill('SIGCONT')
    await soon(() => first.log).toContain('step was claimed by another attempt or cancelled')
    await fixture.openGate(assetId)
    await soon(() => status(assetId)).toBe('Completed')
    expect(second.log).not.toContain('step was claimed by another attempt')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 2', 'video-package 3'])
  })
})

describe('a worker that gets no database connection when its step ends', () => {
  it('publishes the result later, and does not repeat the step', async () => {
    await using _ = await refuseOnce(fixture.superuser, {
      table: 'pipeline_steps',
      event: 'update',
      condition: `new.state = 'done' and new.step = 'video-encode'`,
    })
    const worker = await fixture.startWorker()
    const assetId = await fixture.upload(caller)
    await soon(() => status(assetId)).toBe('Completed')
    expect(worker.log).toContain('failed to publish the result of a step; retrying')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 2', 'video-package 3'])
    expect((await timelineOf(caller, assetId)).map(({ what }) => what)).not.toContain('attempt_failed')
  })
})

describe('a worker that is stopped during a step', () => {
  it('releases the step at once, and its attempt does not count', async () => {
    const longLease = { WORKER_LEASE_SECONDS: '300' }
    const worker = await fixture.startWorker(longLease)
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    expect(await worker.stop('SIGTERM')).toBe(0)
    expect(await fixture.step(assetId, 'encode')).toEqual({
      state: 'waiting',
      token: null,
      claimCount: 0,
    })
    await fixture.startWorker(longLease)
    await fixture.waitForStep(assetId, 'encode', 'running')
    await fixture.openGate(assetId)
    await soon(() => status(assetId)).toBe('Completed')
    const timeline = (await timelineOf(caller, assetId)).map(({ what }) => what)
    expect(timeline).not.toContain('taken_over')
    expect(timeline).not.toContain('attempt_failed')
  })

  it('loses no job that it has just claimed', async () => {
    const assetIds = await Promise.all(Array.from({ length: 8 }, () => fixture.upload(caller)))
    for (let stop = 0; stop < 4; stop++) {
      const worker = await fixture.startWorker({ WORKER_QUEUES: 'probe' })
      expect(await worker.stop('SIGTERM')).toBe(0)
    }
    await fixture.startWorker()
    for (const assetId of assetIds) await soon(() => status(assetId)).toBe('Completed')
  })
})

describe('a file that kills the worker on every attempt', () => {
  /** Simulates that the first step has killed this many workers and that the engine has recovered its job. */
  const killWorkers = async (assetId: string, count: number) => {
    await fixture.superuser.query('update pipelines set last_token = $2 where asset_id = $1', [assetId, count])
    await fixture.superuser.query(
      `update pipeline_steps set state = 'running', token = $2, takes = $2, beat_at = now()
       where asset_id = $1 and step = 'video-probe'`,
      [assetId, count],
    )
  }

  it('fails with processing_stopped_workers after it has killed 10 workers, and can be retried', async () => {
    const [poison, lucky] = [await fixture.upload(caller), await fixture.upload(caller)]
    await killWorkers(poison, 10)
    await killWorkers(lucky, 9)
    const worker = await fixture.startWorker()
    await soon(() => status(poison)).toBe('processing_stopped_workers')
    await soon(() => status(lucky)).toBe('Completed')
    expect(await fixture.publications(poison)).toEqual([])
    expect(await fixture.step(poison, 'probe')).toMatchObject({ state: 'stopped', token: null })
    const [last] = (await timelineOf(caller, poison)).slice(-1)
    expect(last?.detail).toContain('10 times')
    await soon(() => failuresOf(worker)).toEqual(['processing_stopped_workers'])
    expect((await caller.post(`assets/${poison}/retry/`)).status).toBe(200)
    await soon(() => status(poison)).toBe('Completed')
  })
})

describe('a worker', () => {
  it('claims jobs only from the queues for which it is configured', async () => {
    await fixture.startWorker({ WORKER_QUEUES: 'light' })
    const assetId = await fixture.upload(caller)
    await lightWork()
    expect(await fixture.step(assetId, 'probe')).toMatchObject({ state: 'waiting', claimCount: 0 })
    await fixture.startWorker({ WORKER_QUEUES: 'probe' })
    await fixture.waitForStep(assetId, 'probe', 'done')
  })

  it('runs jobs of the light queue at once, even if videos wait to be encoded', async () => {
    await fixture.startWorker()
    const long = { isGated: true }
    const assetIds = [await fixture.upload(caller, long), await fixture.upload(caller, long)]
    const states = () => Promise.all(assetIds.map(async (id) => (await fixture.step(id, 'encode'))?.state))
    await soon(async () => (await states()).toSorted()).toEqual(['running', 'waiting'])
    await lightWork()
    expect((await states()).toSorted()).toEqual(['running', 'waiting'])
  })
})

describe('the retry of an asset', () => {
  it('starts before jobs that were enqueued earlier', async () => {
    const prober = await fixture.startWorker({ WORKER_QUEUES: 'probe' })
    const assetIds = [await fixture.upload(caller), await fixture.upload(caller), await fixture.upload(caller)]
    for (const assetId of assetIds) await fixture.waitForStep(assetId, 'encode', 'waiting')
    await prober.stop()
    const last = assetIds.at(-1) ?? ''
    await caller.post(`assets/${last}/cancel/`)
    await caller.post(`assets/${last}/retry/`)
    await fixture.startWorker({ WORKER_QUEUES: 'encode' })
    const begun = async () => {
      const rows = await fixture.superuser.query<{ asset_id: string }>(
        `select asset_id from step_changes where step = 'video-encode' and state = 'running' order by at`,
      )
      return rows.map((row) => row.asset_id)
    }
    await soon(async () => (await begun()).length).toBe(3)
    expect((await begun())[0]).toBe(last)
  })
})
