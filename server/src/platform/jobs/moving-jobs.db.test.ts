/** Jobs of an organization, carried to the database of another cell: two databases of their own, for nobody is to work there. */
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
import { eachOpenJobs } from './moving-jobs.store.ts'
import { cancelJobs, carryJobs, forgetJobs } from './moving-jobs.ts'
import { promiseJob } from './promise.ts'

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

let id: OrganizationId
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
})

const promise = (name: string, delaySeconds?: number) =>
  promiseJob(
    owner.forOrganization(id),
    job,
    { name },
    { id: name, ...(delaySeconds === undefined ? {} : { delaySeconds }) },
  )
const idOf = (name: string) => `${id}/a-job/${name}`
const change = (name: string, assignments: string) =>
  here.query(`update dbos.workflow_status set ${assignments} where workflow_uuid = $1`, [
    idOf(name),
  ])

/** By the database's clock: before all that happens now. */
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
    rows.map((row) => [row.id.replace(idOf(''), ''), [row.status, row.delay !== null]]),
  )
}

describe('jobs that are promised and not done', () => {
  it('are promised there under the same ids, those under way to whoever comes', async () => {
    await promise('waits')
    await promise('later', 3600)
    await promise('runs')
    await promise('done')
    await change('runs', `status = 'PENDING', executor_id = 'somebody', started_at_epoch_ms = 1`)
    await change('done', `status = 'SUCCESS'`)
    expect(await carryJobs(from, to, id, await now())).toBe(3)
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

  it('are told as they were when it began, though they go on while they are read', async () => {
    for (const name of ['b', 'c', 'd']) await promise(name)
    const told: string[] = []
    const stretch = { ofId: id, heldSince: await now(), limit: 2 }
    await eachOpenJobs(from, stretch, async (jobs) => {
      told.push(...jobs.map((job) => job.id))
      // Whichever it was, another takes its place before all others.
      await here.query(
        `update dbos.workflow_status set status = 'SUCCESS' where queue_partition_key = $1`,
        [id],
      )
      if (jobs.length === 2) await promise('a')
    })
    expect(told.sort()).toEqual(['b', 'c', 'd'].map(idOf))
  })

  it('can be done at once if they rested only because the organization was held', async () => {
    await promise('laid aside')
    await promise('later', 3600)
    await promise('rests')
    const heldSince = await now()
    const laidAside = `status = 'DELAYED', delay_until_epoch_ms = 4000000000000,
      updated_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + 1`
    await change('laid aside', laidAside)
    await change('rests', `${laidAside}, workflow_uuid = workflow_uuid || '/1/rest-1'`)
    await carryJobs(from, to, id, heldSince)
    expect(await carried()).toEqual({
      'laid aside': ['ENQUEUED', false],
      later: ['DELAYED', true],
      'rests/1/rest-1': ['ENQUEUED', false],
    })
  })

  it('bring along that they have failed, and may be carried twice', async () => {
    await promise('failed')
    await here.query(
      `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'x', 'why')`,
      [idOf('failed')],
    )
    await carryJobs(from, to, id, await now())
    await there.query(
      `update dbos.workflow_status set status = 'CANCELLED' where workflow_uuid = $1`,
      [idOf('failed')],
    )
    await carryJobs(from, to, id, await now())
    expect(await carried()).toEqual({ failed: ['ENQUEUED', false] })
    expect(
      await there.query('select error from dbos.operation_outputs where workflow_uuid = $1', [
        idOf('failed'),
      ]),
    ).toEqual([{ error: 'why' }])
  })
})

describe('where the organization was', () => {
  it('nothing of it is done any more, and all of it can be forgotten, but nobody else’s', async () => {
    const neighbour = id
    await promise('a neighbour’s')
    id = (await newOrganization(owner)).organizationId
    await promise('waits')
    await promise('later', 3600)
    expect(await cancelJobs(from, id)).toBe(2)
    expect(await cancelJobs(from, id)).toBe(0)
    await forgetJobs(from, id)
    const left = await here.query<{ whose: string; status: string }>(
      `select queue_partition_key as whose, status from dbos.workflow_status where queue_partition_key = any ($1)`,
      [[id, neighbour]],
    )
    expect(left).toEqual([{ whose: neighbour, status: 'ENQUEUED' }])
  })
})
