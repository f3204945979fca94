/** The clock of Postgres steps by an hour while real workers, schedules, leases and upload sessions depend on it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Caller,
  formOf,
  OwnPostgres,
  openSession,
  postByFetch,
  root,
  stackEnv,
  type WorkerProcess,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { calmPlan, titleOf } from '../../../tools/faults/pipeline/asset-plan.ts'
import { openPipelineFixture, soon, statusOf, timelineOf } from './pipeline-fixture.ts'

const HOUR = 3600
const postgres = await opened(OwnPostgres.start('clock'))
const { DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL } = postgres.env
const databaseUrls = { DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL }
const fixture = await opened(openPipelineFixture('clock_steps', { ...stackEnv(), ...databaseUrls }))
const file = readFileSync(join(root, 'tools/faults/files/one-second.mp4'))

let caller: Caller
beforeEach(async () => {
  await postgres.setClock(0)
  caller = await fixture.newOrganization()
})
afterEach(async () => {
  await fixture.stopWorkers()
  await fixture.superuser.query('delete from dbos.workflow_status')
  await fixture.superuser.query('truncate step_changes, worker_leases, schedules')
})

/** How often the worker has run a schedule. */
async function runsOf({ operationsUrl }: WorkerProcess, schedule: string): Promise<number> {
  const metrics = await (await fetch(`${operationsUrl}/metrics`)).text()
  const [, runs] =
    new RegExp(`schedule_runs_total\\{schedule="${schedule}",outcome="done"\\} (\\d+)`).exec(metrics) ?? []
  return Number(runs ?? 0)
}

/** Waits for two further runs: the second one starts after the clock has changed. */
async function waitForRuns(worker: WorkerProcess, schedule: string): Promise<void> {
  const before = await runsOf(worker, schedule)
  await soon(() => runsOf(worker, schedule)).toBeGreaterThan(before + 1)
}

const settings = { WORKER_LEASE_SECONDS: '4' }

describe.each([
  ['back', -HOUR],
  ['forward', HOUR],
])('when the clock of Postgres steps %s by an hour', (_, offset) => {
  it('schedules keep running', async () => {
    const worker = await fixture.startWorker(settings)
    await waitForRuns(worker, 'watch-pipelines')
    await postgres.setClock(offset)
    for (const schedule of ['watch-pipelines', 'recover-jobs']) await waitForRuns(worker, schedule)
  })

  it('a running step is neither failed nor taken from its worker', async () => {
    const worker = await fixture.startWorker({ ...settings, WORKER_ID: 'only' })
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await postgres.setClock(offset)
    for (let turn = 0; turn < 3; turn++) await waitForRuns(worker, 'watch-pipelines')
    await fixture.openGate(assetId)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
    const timeline = (await timelineOf(caller, assetId)).map(({ what }) => what)
    expect(timeline).not.toContain('taken_over')
    expect(timeline).not.toContain('attempt_failed')
  })

  it('the job of a killed worker is finished by another worker', async () => {
    const killed = await fixture.startWorker({ ...settings, WORKER_ID: 'killed' })
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    const other = await fixture.startWorker({ ...settings, WORKER_ID: 'other' })
    await killed.stop('SIGKILL')
    await postgres.setClock(offset)
    await waitForRuns(other, 'recover-jobs')
    await fixture.openGate(assetId)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
  })

  it('an upload that was sent before the step is completed', async () => {
    await fixture.startWorker(settings)
    const {
      asset,
      upload_session: session,
      client_payload: form,
    } = await openSession(caller, { title: titleOf(calmPlan) })
    expect((await postByFetch(formOf(form, file))).status).toBe(204)
    await postgres.setClock(offset)
    expect((await caller.post(`assets/upload-sessions/${session.uuid}/complete/`)).status).toBe(200)
    await soon(() => statusOf(caller, asset.id)).toBe('Completed')
  })

  it('an upload whose notification is lost is soon found', async () => {
    const worker = await fixture.startWorker({ ...settings, UPLOAD_SWEEP_SECONDS: '1' }, 'server/src/main/worker.ts')
    await waitForRuns(worker, 'follow-clock')
    const { asset, client_payload: form } = await openSession(caller, { title: titleOf(calmPlan) })
    expect((await postByFetch(formOf(form, file))).status).toBe(204)
    await postgres.setClock(offset)
    await soon(() => statusOf(caller, asset.id)).not.toBe('Not Started')
  })
})
