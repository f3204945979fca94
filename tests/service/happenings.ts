/** The jobs of the worker for tests, and the table in which they write down what happened. */
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { defineJob } from '@reelkeep/server/platform/jobs/job.ts'
import {
  newOrganization,
  openOwner,
  resetDatabase,
  type StackEnv,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'

const light = {
  queue: 'light',
  attemptsMax: 3,
  firstPauseSeconds: 1,
  attemptSecondsMax: 60,
} as const

export const noting = defineJob<{ note: string }>({
  name: 'noting',
  ...light,
  about: ({ note }) => {
    if (note === 'unheard of') throw new Error('what is this about?')
    return {}
  },
})
export const failing = defineJob<{ note: string }>({ name: 'failing', ...light })
/** Long pauses: what waits in them must wait nowhere else. */
export const patient = defineJob<{ note: string }>({
  name: 'patient',
  ...light,
  firstPauseSeconds: 30,
})
/** An attempt at it never ends in time: it hears its signal, or does not. */
export const endless = defineJob<{ note: string; isDeaf: boolean }>({
  name: 'endless',
  ...light,
  attemptsMax: 2,
  attemptSecondsMax: 1,
})
export const slow = defineJob<{ note: string; seconds: number }>({ name: 'slow', ...light })

export type Happening = { organization_id: string; what: string; pid: number; at: Date }

/** A database of its own, because a worker takes whatever is promised in its database. */
export async function openStage(name: string, existing?: StackEnv) {
  const env = existing ?? withDatabase(stackEnv(), name)
  if (!existing) await resetDatabase(env)
  const superuser = await Superuser.open(env)
  await superuser.query(`
    create table happenings (
      organization_id text, what text not null, pid integer not null,
      at timestamptz not null default clock_timestamp());
    alter table happenings enable row level security;
    create policy own_organization on happenings to reelkeep_api
      using (organization_id = current_setting('app.organization_id', true));
    create policy turns on happenings for insert to reelkeep_worker with check (organization_id is null);
    grant select, insert on happenings to reelkeep_api`)
  /** As the API connects. */
  const api = new Database(
    { url: env.DATABASE_URL, connectionsMax: 8, statementTimeoutSeconds: 10 },
    () => {},
  )
  const workers: WorkerProcess[] = []
  return {
    env,
    superuser,
    api,
    startWorker: async (settings: Record<string, string> = {}) => {
      const entry = 'tests/service/jobs-worker.ts'
      const worker = await WorkerProcess.start({ entry, settings, env })
      workers.push(worker)
      return worker
    },
    newOrganizationId: async () => {
      await using owner = openOwner(env)
      return (await newOrganization(owner)).organizationId
    },
    happenings: (what: string) =>
      superuser.query<Happening>('select * from happenings where what like $1 order by at', [what]),
    stopWorkers: () =>
      Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
      await api[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}
