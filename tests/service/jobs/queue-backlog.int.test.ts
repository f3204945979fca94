/** Tests the figures about queues and workers that autoscaling, alerts and diagnostics use. */
import { countOpenJobs, oldestWaits } from '@reelkeep/server/platform/jobs/engine/backlog/queue-backlog.store.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { listWorkers } from '@reelkeep/server/platform/jobs/leases.store.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it } from 'vitest'
import { openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('queue_backlog'))
const { superuser } = fixture
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))
afterEach(() => superuser.query('delete from dbos.workflow_status'))

/** Enqueues a job of a new organization. */
async function enqueue(): Promise<void> {
  const db = database.forOrganization(await fixture.newOrganizationId())
  await enqueueJob(db, recording, { input: { note: '' } })
}

describe('the wait of the oldest job', () => {
  const waiting = async () => (await oldestWaits(database, ['light']))[0]?.value

  /** Enqueues a job that is this old, and whose delay, if any, ended this many seconds ago. */
  async function enqueueEarlier(secondsOld: number, delayOverSeconds: number | null = null) {
    await enqueue()
    const millisecondsAgo = (parameter: string) =>
      `(extract(epoch from now()) * 1000)::bigint - ${parameter}::bigint * 1000`
    await superuser.query(
      `update dbos.workflow_status set created_at = ${millisecondsAgo('$1')},
         delay_until_epoch_ms = ${millisecondsAgo('$2')}
       where created_at > ${millisecondsAgo('5')} and delay_until_epoch_ms is null`,
      [secondsOld, delayOverSeconds],
    )
  }

  it('is 0 if there are no jobs', async () => {
    expect(await waiting()).toBe(0)
  })

  it('is measured from the time at which the job was enqueued', async () => {
    await enqueueEarlier(100)
    expect(await waiting()).toBeCloseTo(100, -1)
  })

  it('is measured from the end of the delay of the job, if it had a delay', async () => {
    await enqueueEarlier(36_000, 20)
    expect(await waiting()).toBeCloseTo(20, -1)
  })

  it('is the wait of a younger job if that is longer than the wait of an older, delayed job', async () => {
    await enqueueEarlier(36_000, 20)
    await enqueueEarlier(300)
    expect(await waiting()).toBeCloseTo(300, -1)
  })
})

describe('the number of open jobs', () => {
  const counted = () => countOpenJobs(database, ['light', 'encode'])
  const changeOne = (status: string) =>
    superuser.query(
      `update dbos.workflow_status set status = $1
       where workflow_uuid = (select min(workflow_uuid) from dbos.workflow_status where status = 'ENQUEUED')`,
      [status],
    )

  it('is 0 for an empty queue', async () => {
    expect(await counted()).toEqual([
      { queue: 'light', value: 0 },
      { queue: 'encode', value: 0 },
    ])
  })

  it('includes waiting and running jobs of all organizations', async () => {
    for (const _ of [1, 2, 3]) await enqueue()
    await changeOne('PENDING')
    expect(await counted()).toContainEqual({ queue: 'light', value: 3 })
  })

  it.each(['DELAYED', 'SUCCESS', 'ERROR', 'CANCELLED'])('does not include a job that is %s', async (status) => {
    for (const _ of [1, 2]) await enqueue()
    await changeOne(status)
    expect(await counted()).toContainEqual({ queue: 'light', value: 1 })
  })
})

it('a worker whose lease has expired is not listed; a live worker is listed', async () => {
  await superuser.query(
    `insert into worker_leases (worker_id, seen_at, steady_since, queues, lease_seconds)
     values ('dead', now() - interval '1 minute', now(), '{light}', 10), ('alive', now(), now(), '{encode}', 10)`,
  )
  expect(await listWorkers(database)).toEqual([{ id: 'alive', queues: ['encode'] }])
})
