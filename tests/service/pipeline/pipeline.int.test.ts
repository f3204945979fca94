/** Tests the processing of videos by real worker processes: cancellation, deletion, retries and failures. */
import type { Caller, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { refuseOnce } from '../jobs/refuse-once.ts'
import { failuresOf, openPipelineFixture, soon, statusOf, timelineOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('pipelines'))

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newOrganization()
})

/** The worker that tests share until a test kills it. */
let worker: { readonly id: string; readonly process: WorkerProcess } | undefined
async function working(id = 'first', settings: Record<string, string> = {}) {
  worker ??= { id, process: await fixture.startWorker({ ...settings, WORKER_ID: id }) }
  return worker
}

/** Kills the worker with `kill -9`; returns its ID. */
async function killWorker(): Promise<string> {
  const { id, process } = await working()
  worker = undefined
  await process.stop('SIGKILL')
  return id
}

/** The log lines about the steps of an asset. */
async function logOf(assetId: string): Promise<string> {
  const lines = (await working()).process.log.split('\n')
  return lines.filter((line) => line.includes(assetId)).join('\n')
}

const status = (assetId: string) => statusOf(caller, assetId)
const cancel = (assetId: string) => caller.post(`assets/${assetId}/cancel/`)

const LOST = 'step was claimed by another attempt or cancelled'
const NOT_ITS_OWN = 'step was claimed by another attempt; result discarded'

describe('the cancellation of an asset', () => {
  it('stops a running attempt at its next heartbeat', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    expect((await cancel(assetId)).status).toBe(200)
    await soon(() => logOf(assetId)).toContain(LOST)
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1'])
    expect(await status(assetId)).toBe('Cancelled')
  })

  it('is final, even if the running attempt ignores it and tries to publish', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true, ignoresAbort: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await cancel(assetId)
    await fixture.openGate(assetId)
    await soon(() => logOf(assetId)).toContain(NOT_ITS_OWN)
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1'])
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'stopped', token: null })
    expect(await fixture.step(assetId, 'package')).toBeUndefined()
    expect(await status(assetId)).toBe('Cancelled')
  })

  it('can be followed by a retry, which resumes at the cancelled step and keeps the finished steps', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await cancel(assetId)
    expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(200)
    await fixture.openGate(assetId)
    await soon(() => status(assetId)).toBe('Completed')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 3', 'video-package 4'])
  })
})

describe('the purge of an asset', () => {
  it('prevents the running attempt from publishing anything', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true, ignoresAbort: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    expect((await caller.delete(`assets/${assetId}/?permanently=true`)).status).toBe(204)
    await fixture.openGate(assetId)
    // Whether its files are still in storage when it ends depends on the job that deletes them.
    await soon(() => logOf(assetId)).toContain('step was claimed by another attempt')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1'])
    expect(await fixture.step(assetId, 'encode')).toBeUndefined()
    await soon(() => fixture.jobs(assetId, 'encode')).toEqual({ 1: 'SUCCESS' })
  })
})

describe('a step that fails', () => {
  it('is not retried if the file is unusable', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isUnusable: true })
    await soon(() => status(assetId)).toBe('upload_empty')
    await soon(() => fixture.jobs(assetId, 'encode')).toEqual({ 1: 'SUCCESS' })
    expect((await timelineOf(caller, assetId)).map(({ what }) => what)).toEqual([
      'created',
      'uploaded',
      'processing_started',
      'probed',
      'planned',
      'upload_empty',
    ])
  })

  it('is retried after growing pauses, which the timeline shows', async () => {
    await working()
    const assetId = await fixture.upload(caller, { failsToToken: 3 })
    await soon(() => status(assetId)).toBe('Completed')
    const failed = (await timelineOf(caller, assetId)).filter(({ what }) => what === 'attempt_failed')
    expect(failed.map(({ detail }) => detail)).toEqual([
      'Encoding: attempt 1 failed. Next attempt in 1 s.',
      'Encoding: attempt 2 failed. Next attempt in 2 s.',
    ])
    const [first, second] = failed.map(({ at }) => Date.parse(at))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950)
    expect(await fixture.publications(assetId)).toContain('video-encode 4')
  })

  it('fails the asset when its attempts are used up', async () => {
    const { process } = await working()
    const assetId = await fixture.upload(caller, { failsToToken: 99 })
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('processing_failed')
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'stopped' })
    const timeline = (await timelineOf(caller, assetId)).map(({ what }) => what)
    expect(timeline.filter((what) => what === 'attempt_failed')).toHaveLength(7)
    expect(timeline.at(-1)).toBe('processing_failed')
    await soon(() => failuresOf(process)).toContain('processing_failed')
  })
})

describe('a last attempt that cannot claim its step', () => {
  it('does not count as an attempt, so that the step still fails and does not wait forever', async () => {
    await using _ = await refuseOnce(fixture.superuser, {
      table: 'pipelines',
      event: 'update',
      condition: 'new.last_token = 9',
    })
    try {
      if (worker) await killWorker()
      // With a short lease, the worker soon checks for jobs that are assigned to it but not running.
      await working('first', { WORKER_LEASE_SECONDS: '3' })
      const assetId = await fixture.upload(caller, { failsToToken: 99 })
      await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('processing_failed')
      expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'stopped' })
    } finally {
      await killWorker()
    }
  })
})

describe('the watchdog', () => {
  it('fails a step that has exceeded its time limit', async () => {
    const { process } = await working()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await fixture.superuser.query(
      `update pipeline_steps set due_at = now() where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await soon(() => status(assetId)).toBe('processing_took_too_long')
    expect(await fixture.step(assetId, 'encode')).toMatchObject({ state: 'stopped', token: null })
    await soon(() => failuresOf(process)).toContain('processing_took_too_long')
  })

  it('does not count the time in which no worker was running', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    const doomed = await killWorker()
    await fixture.superuser.query(
      `update pipeline_steps set beat_at = now() - interval '2 hours', due_at = now() - interval '1 hour'
       where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await working('successor')
    await fixture.expireLease(doomed)
    await fixture.openGate(assetId)
    await soon(() => status(assetId)).toBe('Completed')
  })

  it('enqueues a step again if its attempt sends no heartbeats and its job no longer exists in the engine', async () => {
    await working()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    const doomed = await killWorker()
    await fixture.superuser.query(`delete from dbos.workflow_status where name = 'video-encode'`)
    await fixture.superuser.query(
      `update pipeline_steps set beat_at = now() - interval '2 minutes'
       where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await working('last')
    await fixture.expireLease(doomed)
    await fixture.openGate(assetId)
    await soon(() => status(assetId)).toBe('Completed')
    expect(await fixture.jobs(assetId, 'encode')).toEqual({ '1-after-2': 'SUCCESS' })
  })
})
