/** Real workers that encode a real video on file systems that are, or become, full. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { canMount, mountSmallDisk } from '../../../media/testing/disks/small-disk.ts'
import { openPipelineFixture, soon, statusOf, timelineOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('full_disks'))

const worker = 'server/src/main/worker.ts'

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newOrganization()
})
afterEach(async () => {
  await fixture.stopWorkers()
  await fixture.superuser.query('delete from dbos.workflow_status')
  await fixture.superuser.query('truncate worker_leases')
})

const metricsOf = async ({ operationsUrl }: WorkerProcess) => (await fetch(`${operationsUrl}/metrics`)).text()
const timeline = async (assetId: string) => (await timelineOf(caller, assetId)).map(({ what }) => what)
const encodeStep = async (assetId: string) => {
  const [row] = await fixture.superuser.query(
    `select state, takes, failed_on from pipeline_steps where asset_id = $1 and step = 'video-encode'`,
    [assetId],
  )
  return row
}

it.runIf(canMount)('a worker without space for a video does not claim it, and another one encodes it', async () => {
  using disk = mountSmallDisk(1024)
  const full = await fixture.startWorker({ WORKER_ID: 'full', TMPDIR: disk.directory }, worker)
  const assetId = await fixture.upload(caller)
  await soon(() => metricsOf(full)).toMatch(/steps_postponed_total\{step="video-encode",reason="disk"\} [1-9]/)
  expect(await encodeStep(assetId)).toEqual({ state: 'waiting', takes: 0, failed_on: [] })
  await fixture.startWorker({ WORKER_ID: 'healthy' }, worker)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  expect(await timeline(assetId)).not.toContain('attempt_failed')
})

it.runIf(canMount)('a cancelled video whose encoding waits for disk space leaves no job behind', async () => {
  using disk = mountSmallDisk(1024)
  const full = await fixture.startWorker({ TMPDIR: disk.directory }, worker)
  const assetId = await fixture.upload(caller)
  await soon(() => metricsOf(full)).toMatch(/steps_postponed_total\{step="video-encode",reason="disk"\} [1-9]/)
  expect((await caller.post(`assets/${assetId}/cancel/`)).status).toBe(200)
  const unfinished = async () =>
    Object.values(await fixture.jobs(assetId, 'encode')).filter((status) => status !== 'SUCCESS')
  await soon(unfinished).toEqual([])
})

it.runIf(canMount)('a disk that becomes full during encoding fails the attempt, and never the video', async () => {
  using disk = mountSmallDisk(1024 * 1024)
  const failing = await fixture.startWorker({ WORKER_ID: 'failing', TMPDIR: disk.directory }, worker)
  const assetId = await fixture.upload(caller)
  const shrink = () => {
    if (globSync(join(disk.directory, 'reelkeep-part-*')).length === 0) return false
    disk.resize(4)
    return true
  }
  await expect.poll(shrink, { interval: 1 }).toBe(true)
  await soon(() => metricsOf(failing)).toMatch(/disk_failures_total\{step="video-encode"\} 1/)
  await soon(() => timeline(assetId)).toContain('attempt_failed')
  // The disk is full, so the worker does not claim the next attempt.
  await soon(() => metricsOf(failing)).toMatch(/steps_postponed_total\{step="video-encode",reason="disk"\} [1-9]/)
  expect(await encodeStep(assetId)).toEqual({ state: 'waiting', takes: 0, failed_on: [] })
  await fixture.startWorker({ WORKER_ID: 'healthy' }, worker)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
})

it('a file that failed on one worker is tried on another one before it is blamed', async () => {
  const entry = 'tests/service/pipeline/suspicious-worker.ts'
  const first = await fixture.startWorker({ WORKER_ID: 'first' }, entry)
  const assetId = await fixture.upload(caller)
  await soon(() => encodeStep(assetId)).toEqual({ state: 'waiting', takes: 0, failed_on: ['first'] })
  // Alone, the first worker repeats its attempts.
  await soon(async () => (await timeline(assetId)).filter((what) => what === 'attempt_failed').length).toBe(2)
  await fixture.startWorker({ WORKER_ID: 'second' }, entry)
  await soon(() => statusOf(caller, assetId)).toBe('encoding_failed')
  expect(await metricsOf(first)).not.toMatch(/processing_failures_total\{code="encoding_failed"\}/)
})
