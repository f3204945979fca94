/**
 * Jobs of an organization, copied to the database of another cell. Uses two databases of its own, because no worker
 * may run there.
 */
import {
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { Database } from '../db/database.ts'
import type { Query } from '../db/statement.ts'
import { eachCarriedJobs } from './engine/migrating-jobs.store.ts'
import { enqueueJob } from './enqueue.ts'
import { cancelJobs, carryJobs, forgetJobs } from './migrating-jobs.ts'

const envs = ['moving_jobs_from', 'moving_jobs_to'].map((name) => withDatabase(stackEnv(), name))
await Promise.all(envs.map(resetDatabase))
const [fromEnv = stackEnv(), toEnv = stackEnv()] = envs
const owner = await opened(Promise.resolve(openOwner(fromEnv)))
const [here, there] = [await opened(Superuser.open(fromEnv)), await opened(Superuser.open(toEnv))]
const openAll = (url: string) =>
  opened(
    Promise.resolve(
      new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 30 }, () => {}),
    ),
  )
const from = await openAll(fromEnv.DATABASE_SUPERUSER_URL)
const to = await openAll(toEnv.DATABASE_SUPERUSER_URL)

const job = { name: 'a-job', queue: 'light' } as const
const freeing = { name: 'a-freeing-job', queue: 'light' } as const

let id: OrganizationId
let begunAt: Timestamp
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
  begunAt = await now()
  // The arriving organization is suspended, so that only its migration writes to it.
  await to.forOrganization(id).run(holding)
})

const holding: Query<object> = {
  name: '',
  text: `insert into held_organizations (organization_id, why) values ($1, 'arriving')`,
  values: (organizationId) => [organizationId],
}

const promise = (name: string, delaySeconds?: number, what: typeof job | typeof freeing = job) =>
  enqueueJob(
    owner.forOrganization(id),
    what,
    { name },
    { id: name, ...(delaySeconds === undefined ? {} : { delaySeconds }) },
  )
const idOf = (name: string, what: typeof job | typeof freeing = job) => `${id}/${what.name}/${name}`
const change = (name: string, assignments: string, what: typeof job | typeof freeing = job) =>
  here.query(`update dbos.workflow_status set ${assignments} where workflow_uuid = $1`, [
    idOf(name, what),
  ])
const moveOf = (heldSince: Timestamp) => ({
  ...{ ofId: id, heldSince, copiedSince: begunAt },
  freeing: [freeing.name],
})
const carry = async (heldSince?: Timestamp) =>
  carryJobs(from, to, moveOf(heldSince ?? (await now())))

const completedAgo = (seconds: number) =>
  `completed_at = ((extract(epoch from clock_timestamp()) - ${seconds}) * 1000)::bigint`

/** As in the engine, the next attempt refers to the one before. */
async function follow(before: string, status: string): Promise<void> {
  await promise(`after ${before}`)
  const renamed = `workflow_uuid = '${idOf(before)}/2'`
  await here.query(`update dbos.workflow_input set ${renamed} where workflow_uuid = $1`, [
    idOf(`after ${before}`),
  ])
  await change(
    `after ${before}`,
    `${renamed}, status = '${status}', parent_workflow_id = '${idOf(before)}'`,
  )
}

/** The database's time, before anything that follows. */
async function now(): Promise<Timestamp> {
  const [row] = await here.query<{ now: string }>('select clock_timestamp()::text as now')
  return (row?.now ?? '') as Timestamp
}

async function carried() {
  const rows = await there.query<{ id: string; status: string; delay: string | null }>(
    `select workflow_uuid as id, status, delay_until_epoch_ms as delay from dbos.workflow_status
     where queue_partition_key = $1 order by 1`,
    [id],
  )
  return Object.fromEntries(
    rows.map((row) => [
      row.id.replace(idOf(''), '').replace(idOf('', freeing), ''),
      [row.status, row.delay !== null],
    ]),
  )
}

describe('unfinished jobs', () => {
  it('are enqueued in the target under the same ids, running ones for any worker', async () => {
    await promise('waits')
    await promise('later', 3600)
    await promise('runs')
    await promise('done')
    await change('runs', `status = 'PENDING', executor_id = 'somebody', started_at_epoch_ms = 1`)
    await change('done', `status = 'SUCCESS'`)
    expect(await carry()).toBe(3)
    expect(await carried()).toEqual({
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

  it('are read as of one moment, although they continue during the read', async () => {
    for (const name of ['b', 'c', 'd']) await promise(name)
    const seen: string[] = []
    await eachCarriedJobs(from, moveOf(await now()), 2, async (jobs) => {
      seen.push(...jobs.map((job) => job.id))
      // Whichever it was, another one takes its place before all others.
      await here.query(
        `update dbos.workflow_status set status = 'SUCCESS' where queue_partition_key = $1`,
        [id],
      )
      if (jobs.length === 2) await promise('a')
    })
    expect(seen.sort()).toEqual(['b', 'c', 'd'].map((name) => idOf(name)))
  })

  it('can start at once if they were delayed only by the suspension', async () => {
    await promise('laid aside')
    await promise('later', 3600)
    await promise('rests')
    const heldSince = await now()
    const laidAside = `status = 'DELAYED', delay_until_epoch_ms = 4000000000000,
      updated_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + 1`
    await change('laid aside', laidAside)
    await change('rests', `${laidAside}, workflow_uuid = workflow_uuid || '/1/rest-1'`)
    await carry(heldSince)
    expect(await carried()).toEqual({
      'laid aside': ['ENQUEUED', false],
      later: ['DELAYED', true],
      'rests/1/rest-1': ['ENQUEUED', false],
    })
  })

  it('keep their recorded failures and may be copied twice', async () => {
    await promise('failed')
    await here.query(
      `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'x', 'why')`,
      [idOf('failed')],
    )
    await carry()
    await there.query(
      `update dbos.workflow_status set status = 'CANCELLED' where workflow_uuid = $1`,
      [idOf('failed')],
    )
    await carry()
    expect(await carried()).toEqual({ failed: ['ENQUEUED', false] })
    expect(
      await there.query('select error from dbos.operation_outputs where workflow_uuid = $1', [
        idOf('failed'),
      ]),
    ).toEqual([{ error: 'why' }])
  })
})

describe('finished jobs', () => {
  it('that failed permanently are copied with the attempts before them, so that they can be repeated', async () => {
    await promise('first')
    await change('first', `status = 'SUCCESS', ${completedAgo(0)}`)
    await follow('first', 'ERROR')
    await here.query(
      `insert into dbos.workflow_output (workflow_uuid, error) values ($1 || '/2', 'why')`,
      [idOf('first')],
    )
    await promise('killer')
    await change('killer', `status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', queue_name = null`)
    await promise('waits')
    await change('waits', `status = 'SUCCESS', ${completedAgo(0)}`)
    await follow('waits', 'DELAYED')
    expect(await carry()).toBe(5)
    expect(await carried()).toEqual({
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

  it('that deleted objects which may have been copied before run again in the target', async () => {
    for (const name of ['freed', 'freed long ago', 'failed', 'fails for good'])
      await promise(name, undefined, freeing)
    await promise('not about objects')
    const done = `status = 'SUCCESS', recovery_attempts = 3, ${completedAgo(0)}`
    await change('freed', done, freeing)
    await here.query(
      `insert into dbos.workflow_output (workflow_uuid, output) values ($1, 'done')`,
      [idOf('freed', freeing)],
    )
    await change('freed long ago', `status = 'SUCCESS', ${completedAgo(3600)}`, freeing)
    await change('failed', done, freeing)
    await here.query(
      `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'x', 'why')`,
      [idOf('failed', freeing)],
    )
    await change('fails for good', `status = 'ERROR', ${completedAgo(0)}`, freeing)
    await change('not about objects', done)
    expect(await carry()).toBe(2)
    expect(await carried()).toEqual({
      freed: ['ENQUEUED', false],
      'fails for good': ['ERROR', false],
    })
    expect(
      await there.query(
        `select completed_at, recovery_attempts::int, output.output from dbos.workflow_status one
         left join dbos.workflow_output output using (workflow_uuid) where workflow_uuid = $1`,
        [idOf('freed', freeing)],
      ),
    ).toEqual([{ completed_at: null, recovery_attempts: 0, output: null }])
  })
})

describe('in the source cell', () => {
  it('no job of it runs any more, and only its own jobs are deleted', async () => {
    const neighbour = id
    await promise('a neighbour’s')
    id = (await newOrganization(owner)).organizationId
    await promise('waits')
    await promise('later', 3600)
    await promise('failed')
    await change('failed', `status = 'ERROR'`)
    expect(await cancelJobs(from, id)).toBe(3)
    expect(await cancelJobs(from, id)).toBe(0)
    await forgetJobs(from, id)
    const left = await here.query<{ whose: string; status: string }>(
      `select queue_partition_key as whose, status from dbos.workflow_status where queue_partition_key = any ($1)`,
      [[id, neighbour]],
    )
    expect(left).toEqual([{ whose: neighbour, status: 'ENQUEUED' }])
  })
})
