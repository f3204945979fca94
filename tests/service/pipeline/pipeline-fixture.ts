/** Pipelines in a database of their own, because a worker claims every job in its database. */
import type { assets } from '@reelkeep/contract'
import {
  type Caller,
  fastWorkerSettings,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { expect } from 'vitest'
import { type AssetPlan, calmPlan, titleOf } from '../../../tools/faults/pipeline/asset-plan.ts'
import { upload } from '../../../tools/faults/pipeline/pipeline-actions.ts'
import { createRecordTables, type Publication, type StepChange } from '../../../tools/faults/pipeline/publications.ts'

type StepRow = Pick<StepChange, 'state' | 'token' | 'claimCount'>

export const soon = <Value>(read: () => Value) => expect.poll(read, { interval: 50 })

export async function openPipelineFixture(name: string, servers = stackEnv()) {
  const env = withDatabase(servers, name)
  await resetDatabase(env)
  await createRecordTables(env)
  const testApi = await TestApi.open({}, env)
  const superuser = await Superuser.open(env)
  const workers: WorkerProcess[] = []
  const findStep = async (assetId: string, step: string) => {
    const [row] = await superuser.query<StepRow>(
      'select state, token, takes as "claimCount" from pipeline_steps where asset_id = $1 and step = $2',
      [assetId, `video-${step}`],
    )
    return row
  }
  const stopWorkers = () => Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]()))
  return {
    superuser,
    stopWorkers,
    newOrganization: () => testApi.newOrganization(),
    startWorker: async (settings: Record<string, string> = {}, entry = 'tools/faults/pipeline/pipeline-worker.ts') => {
      const worker = await WorkerProcess.start({
        entry,
        settings: { ...fastWorkerSettings, ...settings },
        env,
      })
      workers.push(worker)
      return worker
    },
    /** Creates an asset and uploads its file; its steps behave according to the plan. */
    upload: (caller: Caller, plan: Partial<AssetPlan> = {}) => upload(caller, titleOf({ ...calmPlan, ...plan })),
    /** Lets the encoding step of a gated asset continue. */
    openGate: (assetId: string) => superuser.query('insert into gates values ($1)', [assetId]),
    step: findStep,
    waitForStep: (assetId: string, step: string, state: string) =>
      soon(async () => (await findStep(assetId, step))?.state).toBe(state),
    /** The published steps with their fencing tokens, in order. */
    publications: async (assetId: string) => {
      const rows = await superuser.query<Pick<Publication, 'step' | 'token'>>(
        'select step, token from publications where asset_id = $1 order by at',
        [assetId],
      )
      return rows.map(({ step, token }) => `${step} ${token}`)
    },
    /** The status of each attempt of a step in the job engine. */
    jobs: async (assetId: string, step: string) => {
      const rows = await superuser.query<{ id: string; status: string }>(
        `select split_part(workflow_uuid, $1 || '-', 2) as id, status from dbos.workflow_status
         where name = $2 and workflow_uuid like '%' || $1 || '%' order by created_at`,
        [assetId, `video-${step}`],
      )
      return Object.fromEntries(rows.map(({ id, status }) => [id, status]))
    },
    /** Ends the delays before the next attempts; then returns the status of the asset. */
    statusWithoutDelays: async (caller: Caller, assetId: string) => {
      await superuser.query(
        `update dbos.workflow_status set status = 'ENQUEUED', delay_until_epoch_ms = null
         where status = 'DELAYED' and name like 'video-%'`,
      )
      return statusOf(caller, assetId)
    },
    /**
     * Changes the leases as if this worker had sent no heartbeat for an hour while all others had: its lease has
     * expired, and other workers may reclaim its jobs. Only for a worker that no longer sends heartbeats.
     */
    expireLease: (workerId: string) =>
      superuser.query(
        `update worker_leases set steady_since = steady_since - interval '1 hour',
           seen_at = seen_at - make_interval(hours => (worker_id = $1)::int)`,
        [workerId],
      ),
    [Symbol.asyncDispose]: async () => {
      await stopWorkers()
      await testApi[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}

export async function statusOf(caller: Caller, assetId: string): Promise<string> {
  const { body } = await caller.get<assets.Asset>(`assets/${assetId}/`)
  return body.video.error ? body.video.error.code : body.video.status
}

/** The error codes of failed videos in a worker's metrics. */
export async function failuresOf({ operationsUrl }: WorkerProcess): Promise<string[]> {
  const metrics = await (await fetch(`${operationsUrl}/metrics`)).text()
  const counted = metrics.matchAll(/^reelkeep_processing_failures_total\{code="(.*)"\} [1-9]/gm)
  return Array.from(counted, ([, code = '']) => code)
}

export async function timelineOf(caller: Caller, assetId: string) {
  return (await caller.get<assets.Timeline>(`assets/${assetId}/timeline/`)).body.entries
}
