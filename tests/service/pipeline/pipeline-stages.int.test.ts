/** Tests parallel steps and steps in parts, run by a real worker process. */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { failuresOf, openPipelineFixture, soon, statusOf, timelineOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('stages'))

const entry = 'tests/service/pipeline/stages-worker.ts'

it('the next stage waits for every part of a step, and not for an optional step that was given up', async () => {
  const caller = await fixture.newOrganization()
  const worker = await fixture.startWorker({}, entry)
  const assetId = await fixture.upload(caller)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  expect(await failuresOf(worker)).toEqual([])

  const rows = await fixture.superuser.query<{ step: string; part: string; state: string }>(
    'select step, part, state from pipeline_steps where asset_id = $1 order by step, part',
    [assetId],
  )
  expect(rows.map(({ step, part, state }) => `${step} ${part} ${state}`)).toEqual([
    'video-afterwards  given_up',
    'video-end  done',
    'video-extra  given_up',
    'video-parts 1 done',
    'video-parts 2 done',
    'video-parts 2-a done',
    'video-parts 2-b done',
    'video-parts 3 done',
    'video-probe  done',
  ])
  const published = (await fixture.publications(assetId)).map((text) => text.split(' ')[0])
  expect(published).toEqual(['video-probe', ...Array.from({ length: 4 }, () => 'video-parts'), 'video-end'])
  const timeline = await timelineOf(caller, assetId)
  expect(timeline.map(({ what }) => what)).toEqual(expect.arrayContaining(['divided_up', 'completed']))
  expect(timeline.find(({ what }) => what === 'given_up')?.detail).toBe(
    'Making something extra was skipped; the video continues without it: This step has nothing to do for the file.',
  )
})

it('parts published at the same time make a video playable once', async () => {
  await fixture.stopWorkers()
  const caller = await fixture.newOrganization()
  const worker = await fixture.startWorker({}, entry)
  const assetId = await fixture.upload(caller)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  const metrics = await (await fetch(`${worker.operationsUrl}/metrics`)).text()
  expect(metrics).toMatch(/^reelkeep_time_to_playable_seconds_count 1$/m)
})

it('a retry does not restart an optional step that was given up, and the video completes without it', async () => {
  await fixture.stopWorkers()
  const caller = await fixture.newOrganization()
  await fixture.startWorker({}, entry)
  const assetId = await fixture.upload(caller, { isGated: true })
  await fixture.waitForStep(assetId, 'end', 'running')
  expect((await caller.post(`assets/${assetId}/cancel/`)).status).toBe(200)
  expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(200)
  await fixture.openGate(assetId)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  expect(await fixture.step(assetId, 'extra')).toMatchObject({ state: 'given_up' })
})

it('a video completes if its optional last step is given up before any attempt', async () => {
  await fixture.stopWorkers()
  const caller = await fixture.newOrganization()
  const worker = await fixture.startWorker({ WORKER_QUEUES: 'light,probe' }, entry)
  const assetId = await fixture.upload(caller)
  await fixture.waitForStep(assetId, 'afterwards', 'waiting')
  await caller.post(`assets/${assetId}/cancel/`)
  await caller.post(`assets/${assetId}/retry/`)
  expect(await statusOf(caller, assetId)).toBe('Queued')
  await fixture.superuser.query(
    `update pipeline_steps set due_at = now() where asset_id = $1 and step = 'video-afterwards'`,
    [assetId],
  )
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  expect(await failuresOf(worker)).toEqual([])
})

it('a retry encodes a video from the start if another version of the encoder has encoded a part', async () => {
  await fixture.stopWorkers()
  const caller = await fixture.newOrganization()
  await fixture.startWorker({}, entry)
  const assetId = await fixture.upload(caller, { isGated: true })
  await fixture.waitForStep(assetId, 'end', 'running')
  await fixture.superuser.query('update renditions set init_hash = $2 where asset_id = $1', [assetId, Buffer.alloc(32)])
  await fixture.openGate(assetId)
  await soon(() => statusOf(caller, assetId)).toBe('processing_failed')
  expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(200)
  await soon(() => statusOf(caller, assetId)).toBe('Completed')
  const published = (await fixture.publications(assetId)).map((text) => text.split(' ')[0])
  expect(published.filter((step) => step === 'video-probe')).toHaveLength(2)
})
