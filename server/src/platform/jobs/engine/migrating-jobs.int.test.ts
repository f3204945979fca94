/**
 * Copying the jobs of an organization to the database of another cell. The test uses two databases of its own, so that
 * no worker runs the jobs.
 */
import { newOrganization, openOwner, resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import { Database } from '../../db/database.ts'
import type { Query } from '../../db/statement.ts'
import { enqueueJob } from '../enqueue.ts'
import { eachCopiedJobs } from './migrating-jobs.store.ts'
import { cancelJobs, copyJobs, deleteJobs } from './migrating-jobs.ts'

const envs = ['moving_jobs_from', 'moving_jobs_to'].map((name) => withDatabase(stackEnv(), name))
await Promise.all(envs.map(resetDatabase))
const [fromEnv = stackEnv(), toEnv = stackEnv()] = envs
const owner = await opened(Promise.resolve(openOwner(fromEnv)))
const [here, there] = [await opened(Superuser.open(fromEnv)), await opened(Superuser.open(toEnv))]
const openAll = (url: string) =>
  opened(Promise.resolve(new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 30 }, () => {})))
const from = await openAll(fromEnv.DATABASE_SUPERUSER_URL)
const to = await openAll(toEnv.DATABASE_SUPERUSER_URL)

const job = { name: 'a-job', queue: 'light' } as const
const deleting = { name: 'a-deleting-job', queue: 'light' } as const

let id: OrganizationId
let startedAt: Timestamp
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
  startedAt = await now()
  // The arriving organization is suspended, so that only its migration writes to it.
  await to.forOrganization(id).run(suspending)
})

const suspending: Query<object> = {
  name: '',
  text: `insert into held_organizations (organization_id, why) values ($1, 'arriving')`,
  values: (organizationId) => [organizationId],
}

const enqueue = (name: string, delaySeconds?: number, what: typeof job | typeof deleting = job) =>
  enqueueJob(owner.forOrganization(id), what, {
    input: { name },
    id: name,
    ...(delaySeconds === undefined ? {} : { delaySeconds }),
  })
const idOf = (name: string, what: typeof job | typeof deleting = job) => `${id}/${what.name}/${name}`
const change = (name: string, assignments: string, what: typeof job | typeof deleting = job) =>
  here.query(`update dbos.workflow_status set ${assignments} where workflow_uuid = $1`, [idOf(name, what)])
const moveOf = (suspendedSince: Timestamp) => ({
  ...{ organizationId: id, suspendedSince, copiedSince: startedAt },
  deletionJobs: [deleting.name],
})
const copy = async (suspendedSince?: Timestamp) => copyJobs(from, to, moveOf(suspendedSince ?? (await now())))

const completedAgo = (seconds: number) =>
  `completed_at = ((extract(epoch from clock_timestamp()) - ${seconds}) * 1000)::bigint`

/** Enqueues the next attempt of a job and, like the engine, links it to the one before. */
async function follow(before: string, status: string): Promise<void> {
  await enqueue(`after ${before}`)
  const renamed = `workflow_uuid = '${idOf(before)}/2'`
  await here.query(`update dbos.workflow_input set ${renamed} where workflow_uuid = $1`, [idOf(`after ${before}`)])
  await change(`after ${before}`, `${renamed}, status = '${status}', parent_workflow_id = '${idOf(before)}'`)
}

/** Returns the database's time, before any later change. */
async function now(): Promise<Timestamp> {
  const [row] = await here.query<{ now: string }>('select clock_timestamp()::text as now')
  return (row?.now ?? '') as Timestamp
}

async function copied() {
  const rows = await there.query<{ id: string; status: string; delay: string | null }>(
    `select workflow_uuid as id, status, delay_until_epoch_ms as delay from dbos.workflow_status
     where queue_partition_key = $1 order by 1`,
    [id],
  )
  return Object.fromEntries(
    rows.map((row) => [row.id.replace(idOf(''), '').replace(idOf('', deleting), ''), [row.status, row.delay !== null]]),
  )
}

describe('unfinished jobs of an organization that is migrated', () => {
  it('are enqueued in the target under the same ids, so that any worker can claim them', async () => {
    await enqueue('waits')
    await enqueue('later', 3600)
    await enqueue('runs')
    await enqueue('done')
    await change('runs', `status = 'PENDING', executor_id = 'worker-1', started_at_epoch_ms = 1`)
    await change('done', `status = 'SUCCESS'`)
    expect(await copy()).toBe(3)
    expect(await copied()).toEqual({
      waits: ['ENQUEUED', false],
      later: ['DELAYED', true],
      runs: ['ENQUEUED', false],
    })
    const [row] = await there.query<{ executor_id: string | null; inputs: string }>(
      `select executor_id, input.inputs from dbos.workflow_status
       join dbos.workflow_input input using (workflow_uuid) where workflow_uuid = $1`,
      [idOf('runs')],
    )
    expect(row).toMatchObject({ executor_id: null, inputs: expect.stringContaining('runs') })
  })

  it('are read from one snapshot, even if they end during the read', async () => {
    for (const name of ['b', 'c', 'd']) await enqueue(name)
    const seen: string[] = []
    await eachCopiedJobs(from, { ...moveOf(await now()), limit: 2 }, async (jobs) => {
      seen.push(...jobs.map((job) => job.id))
      // Simulates workers: all jobs end, and a new attempt has an id that sorts before all others.
      await here.query(`update dbos.workflow_status set status = 'SUCCESS' where queue_partition_key = $1`, [id])
      if (jobs.length === 2) await enqueue('a')
    })
    expect(seen.sort()).toEqual(['b', 'c', 'd'].map((name) => idOf(name)))
  })

  it('can start at once if they were delayed only by the suspension', async () => {
    await enqueue('delayed')
    await enqueue('later', 3600)
    await enqueue('rests')
    const suspendedSince = await now()
    const delayed = `status = 'DELAYED', delay_until_epoch_ms = 4000000000000,
      updated_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + 1`
    await change('delayed', delayed)
    await change('rests', `${delayed}, workflow_uuid = workflow_uuid || '/1/rest-1'`)
    await copy(suspendedSince)
    expect(await copied()).toEqual({
      delayed: ['ENQUEUED', false],
      later: ['DELAYED', true],
      'rests/1/rest-1': ['ENQUEUED', false],
    })
  })

  it('keep their recorded failures and may be copied twice', async () => {
    await enqueue('failed')
    await here.query(
      `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'x', 'why')`,
      [idOf('failed')],
    )
    await copy()
    await there.query(`update dbos.workflow_status set status = 'CANCELLED' where workflow_uuid = $1`, [idOf('failed')])
    await copy()
    expect(await copied()).toEqual({ failed: ['ENQUEUED', false] })
    expect(
      await there.query('select error from dbos.operation_outputs where workflow_uuid = $1', [idOf('failed')]),
    ).toEqual([{ error: 'why' }])
  })
})

describe('finished jobs of an organization that is migrated', () => {
  it('are copied with their earlier attempts if they failed permanently, so that they can be retried', async () => {
    await enqueue('first')
    await change('first', `status = 'SUCCESS', ${completedAgo(0)}`)
    await follow('first', 'ERROR')
    await here.query(`insert into dbos.workflow_output (workflow_uuid, error) values ($1 || '/2', 'why')`, [
      idOf('first'),
    ])
    await enqueue('killer')
    await change('killer', `status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', queue_name = null`)
    await enqueue('waits')
    await change('waits', `status = 'SUCCESS', ${completedAgo(0)}`)
    await follow('waits', 'DELAYED')
    expect(await copy()).toBe(5)
    expect(await copied()).toEqual({
      first: ['SUCCESS', false],
      'first/2': ['ERROR', false],
      killer: ['MAX_RECOVERY_ATTEMPTS_EXCEEDED', false],
      waits: ['SUCCESS', false],
      'waits/2': ['DELAYED', false],
    })
    expect(
      await there.query(
        `select error, input.inputs is not null as has_input from dbos.workflow_output
         join dbos.workflow_input input using (workflow_uuid) where workflow_uuid = $1 || '/2'`,
        [idOf('first')],
      ),
    ).toEqual([{ error: 'why', has_input: true }])
  })

  it('run again in the target cell if they deleted objects that may have been copied before', async () => {
    for (const name of ['deleted', 'deleted long ago', 'failed', 'fails permanently'])
      await enqueue(name, undefined, deleting)
    await enqueue('not about objects')
    const done = `status = 'SUCCESS', recovery_attempts = 3, ${completedAgo(0)}`
    await change('deleted', done, deleting)
    await here.query(`insert into dbos.workflow_output (workflow_uuid, output) values ($1, 'done')`, [
      idOf('deleted', deleting),
    ])
    await change('deleted long ago', `status = 'SUCCESS', ${completedAgo(3600)}`, deleting)
    await change('failed', done, deleting)
    await here.query(
      `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'x', 'why')`,
      [idOf('failed', deleting)],
    )
    await change('fails permanently', `status = 'ERROR', ${completedAgo(0)}`, deleting)
    await change('not about objects', done)
    expect(await copy()).toBe(2)
    expect(await copied()).toEqual({
      deleted: ['ENQUEUED', false],
      'fails permanently': ['ERROR', false],
    })
    expect(
      await there.query(
        `select completed_at, recovery_attempts::int, output.output from dbos.workflow_status one
         left join dbos.workflow_output output using (workflow_uuid) where workflow_uuid = $1`,
        [idOf('deleted', deleting)],
      ),
    ).toEqual([{ completed_at: null, recovery_attempts: 0, output: null }])
  })
})

describe('the jobs of a migrated organization', () => {
  it('are cancelled and deleted in the source cell, without deleting jobs of other organizations', async () => {
    const neighbour = id
    await enqueue('a neighbour’s')
    id = (await newOrganization(owner)).organizationId
    await enqueue('waits')
    await enqueue('later', 3600)
    await enqueue('failed')
    await change('failed', `status = 'ERROR'`)
    expect(await cancelJobs(from, id)).toBe(3)
    expect(await cancelJobs(from, id)).toBe(0)
    await deleteJobs(from, id)
    const left = await here.query<{ whose: string; status: string }>(
      `select queue_partition_key as whose, status from dbos.workflow_status where queue_partition_key = any ($1)`,
      [[id, neighbour]],
    )
    expect(left).toEqual([{ whose: neighbour, status: 'ENQUEUED' }])
  })
})
