/** Workers that come and go under a video, and which of them takes what. */
import type { Caller } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineStage, statusOf, toldOf } from './pipeline-stage.ts'

const stage = await opened(openPipelineStage('pipeline_workers'))

let caller: Caller
beforeEach(async () => {
  caller = await stage.newOrganization()
})
afterEach(async () => {
  await stage.stopWorkers()
  await stage.superuser.query('delete from dbos.workflow_status')
  await stage.superuser.query('truncate step_changes, worker_leases')
})

const soon = <Value>(read: () => Value, seconds = 10) =>
  expect.poll(read, { timeout: seconds * 1000, interval: 50 })
const status = (assetId: string) => statusOf(caller, assetId)
const isAt = (assetId: string, step: string, state: string, seconds = 15) =>
  soon(async () => (await stage.step(assetId, step))?.state, seconds).toBe(state)

/** Deleting an asset promises a job on the queue of light work. */
async function lightWork(): Promise<void> {
  const assetId = await stage.upload(caller)
  await caller.delete(`assets/${assetId}/`)
  const freed = () =>
    stage.superuser.query(
      `select from dbos.workflow_status where name = 'free-assets' and status = 'SUCCESS'`,
    )
  await soon(async () => (await freed()).length).toBe(1)
}

describe('a worker that is frozen for longer than its lease', () => {
  it('wakes up, finds its step taken, and publishes nothing', async () => {
    const frozen = await stage.startWorker({ WORKER_ID: 'frozen' })
    const assetId = await stage.upload(caller, { encodeMilliseconds: 3000, isDeaf: true })
    await isAt(assetId, 'encode', 'running')
    frozen.child.kill('SIGSTOP')
    await stage.startWorker()
    await stage.ageLeases('frozen', 10)
    await soon(() => status(assetId), 45).toBe('Completed')
    frozen.child.kill('SIGCONT')
    await soon(() => frozen.log, 15).toContain('the step is no longer this attempt’s')
    expect(await stage.publications(assetId)).toEqual([
      'video-probe 1',
      'video-encode 3',
      'video-package 4',
    ])
    expect(await stage.step(assetId, 'encode')).toMatchObject({ state: 'done', token: 3 })
    const told = (await toldOf(caller, assetId)).map(({ what }) => what)
    expect(told.filter((what) => what === 'completed')).toHaveLength(1)
    expect(told).toContain('taken_over')
  })
})

describe('a worker that is told to stop', () => {
  it('gives the step back at once, and the attempt does not count', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 4000, outputCount: 1 })
    await isAt(assetId, 'encode', 'running')
    expect(await worker.stop('SIGTERM')).toBe(0)
    expect(await stage.step(assetId, 'encode')).toEqual({ state: 'waiting', token: null, takes: 0 })
    await stage.startWorker()
    // Long before its lease would have run out.
    await isAt(assetId, 'encode', 'running', 8)
    await soon(() => status(assetId), 15).toBe('Completed')
    const told = (await toldOf(caller, assetId)).map(({ what }) => what)
    expect(told).not.toContain('taken_over')
    expect(told).not.toContain('attempt_failed')
  })

  it('loses nothing of what it has just taken from the queue', async () => {
    const assetIds = await Promise.all(Array.from({ length: 8 }, () => stage.upload(caller)))
    for (let stop = 0; stop < 4; stop++) {
      const worker = await stage.startWorker({ WORKER_QUEUES: 'probe' })
      expect(await worker.stop('SIGTERM')).toBe(0)
    }
    await stage.startWorker()
    for (const assetId of assetIds) await soon(() => status(assetId), 30).toBe('Completed')
  })
})

describe('a worker that takes from some queues', () => {
  it('leaves the others alone', async () => {
    await stage.startWorker({ WORKER_QUEUES: 'light' })
    const assetId = await stage.upload(caller)
    await lightWork()
    expect(await stage.step(assetId, 'probe')).toMatchObject({ state: 'waiting', takes: 0 })
    await stage.startWorker({ WORKER_QUEUES: 'probe' })
    await isAt(assetId, 'probe', 'done')
  })

  it('does light work at once, however much there is to encode', async () => {
    await stage.startWorker()
    const long = { encodeMilliseconds: 20_000, outputCount: 1 }
    const assetIds = [await stage.upload(caller, long), await stage.upload(caller, long)]
    const states = () =>
      Promise.all(assetIds.map(async (id) => (await stage.step(id, 'encode'))?.state))
    await soon(async () => (await states()).toSorted(), 15).toEqual(['running', 'waiting'])
    await lightWork()
    expect((await states()).toSorted()).toEqual(['running', 'waiting'])
  })
})

describe('a retry', () => {
  it('overtakes what was promised before it', async () => {
    const looker = await stage.startWorker({ WORKER_QUEUES: 'probe' })
    const assetIds = [
      await stage.upload(caller),
      await stage.upload(caller),
      await stage.upload(caller),
    ]
    for (const assetId of assetIds) await isAt(assetId, 'encode', 'waiting')
    await looker.stop()
    const last = assetIds.at(-1) ?? ''
    await caller.post(`assets/${last}/cancel/`)
    await caller.post(`assets/${last}/retry/`)
    await stage.startWorker({ WORKER_QUEUES: 'encode' })
    const begun = async () => {
      const rows = await stage.superuser.query<{ asset_id: string }>(
        `select asset_id from step_changes where step = 'video-encode' and state = 'running' order by at`,
      )
      return rows.map((row) => row.asset_id)
    }
    await soon(async () => (await begun()).length, 15).toBe(3)
    expect((await begun())[0]).toBe(last)
  })
})
