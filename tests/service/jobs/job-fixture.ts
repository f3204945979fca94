/** The jobs of the test worker, and the table in which they record their runs. */
import { defineJob } from '@reelkeep/server/platform/jobs/job.ts'
import {
  fastWorkerSettings,
  newOrganization,
  openDatabase,
  openOwner,
  resetDatabase,
  type StackEnv,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'

const retry = { maxAttempts: 3, firstBackoffSeconds: 0.5, attemptTimeoutSeconds: 600 }
const light = { queue: 'light', retry } as const

export const recording = defineJob<{ note: string }>({
  name: 'recording',
  ...light,
  about: ({ note }) => {
    if (note === 'unheard of') throw new Error('unknown note')
    return {}
  },
})
export const failing = defineJob<{ note: string }>({ name: 'failing', ...light })
/** A job with pauses so long that they end only when a test ends them. */
export const longBackoff = defineJob<{ note: string }>({
  name: 'long-backoff',
  queue: 'light',
  retry: { ...retry, firstBackoffSeconds: 3600 },
})
/** A job whose attempts exceed their time limit; `ignoresAbort` decides whether they react to the abort signal. */
export const endless = defineJob<{ note: string; ignoresAbort: boolean }>({
  name: 'endless',
  queue: 'light',
  retry: { ...retry, maxAttempts: 2, attemptTimeoutSeconds: 1 },
})
export const slow = defineJob<{ note: string; seconds: number }>({ name: 'slow', ...light })
/** A job that runs until the test calls `openGate` with the job's note. */
export const gated = defineJob<{ note: string }>({ name: 'gated', ...light })

type JobRecord = { organization_id: string; what: string; pid: number; at: Date }

/** Creates a database for the test, because a worker claims every job in its database. */
export async function openFixture(name: string, existing?: StackEnv) {
  const env = existing ?? withDatabase(stackEnv(), name)
  if (!existing) await resetDatabase(env)
  const superuser = await Superuser.open(env)
  await superuser.query(`
    create table records (
      organization_id text, what text not null, pid integer not null,
      at timestamptz not null default clock_timestamp());
    alter table records enable row level security;
    create policy own_organization on records to reelkeep_api
      using (organization_id = current_setting('app.organization_id', true));
    create policy runs on records for insert to reelkeep_worker with check (organization_id is null);
    grant select, insert on records to reelkeep_api;
    create table gates (note text primary key);
    grant select on gates to reelkeep_api`)
  /** A database connection with the role of the API. */
  const api = openDatabase(env.DATABASE_URL, 8)
  const workers: WorkerProcess[] = []
  const launchWorker = async (own: Record<string, string> = {}) => {
    const entry = 'tests/service/jobs/jobs-worker.ts'
    const worker = await WorkerProcess.launch({
      entry,
      settings: { ...fastWorkerSettings, ...own },
      env,
    })
    workers.push(worker)
    return worker
  }
  return {
    env,
    superuser,
    api,
    launchWorker,
    /** Launches a worker and waits until it is ready. */
    startWorker: async (settings: Record<string, string> = {}) => {
      const worker = await launchWorker(settings)
      await worker.ready()
      return worker
    },
    /** Lets the gated jobs with this note finish. */
    openGate: (note: string) => superuser.query('insert into gates values ($1)', [note]),
    /** Number of unfinished jobs of the organization. */
    countOpen: async (organizationId: string) => {
      const rows = await superuser.query(
        `select from dbos.workflow_status
         where queue_partition_key = $1 and status in ('ENQUEUED', 'PENDING', 'DELAYED')`,
        [organizationId],
      )
      return rows.length
    },
    /** Ends the pauses before the next attempts. */
    endDelays: () =>
      superuser.query(
        `update dbos.workflow_status set status = 'ENQUEUED', delay_until_epoch_ms = null
         where status = 'DELAYED'`,
      ),
    newOrganizationId: async () => {
      await using owner = openOwner(env)
      return (await newOrganization(owner)).organizationId
    },
    records: (what: string) =>
      superuser.query<JobRecord>('select * from records where what like $1 order by at', [what]),
    stopWorkers: () => Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
      await api[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}
