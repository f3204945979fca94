import { countOpenJobs } from '@reelkeep/server/platform/jobs/engine/queue-backlog.store.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it } from 'vitest'
import { openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('open_jobs'))
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))
afterEach(() => fixture.superuser.query('delete from dbos.workflow_status'))

async function enqueue(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const organization = database.forOrganization(await fixture.newOrganizationId())
    await enqueueJob(organization, recording, { note: String(made) })
  }
}
const become = (status: string) =>
  fixture.superuser.query(
    `update dbos.workflow_status set status = $1
     where workflow_uuid = (select min(workflow_uuid) from dbos.workflow_status where status = 'ENQUEUED')`,
    [status],
  )
const counted = () => countOpenJobs(database, ['light', 'encode'])

describe('the number of open jobs', () => {
  it('is 0 for an empty queue', async () => {
    expect(await counted()).toEqual([
      { queue: 'light', jobs: 0 },
      { queue: 'encode', jobs: 0 },
    ])
  })

  it('includes waiting and running jobs of all organizations', async () => {
    await enqueue(3)
    await become('PENDING')
    expect(await counted()).toContainEqual({ queue: 'light', jobs: 3 })
  })

  it.each(['DELAYED', 'SUCCESS', 'ERROR', 'CANCELLED'])(
    'does not include a job that is %s',
    async (status) => {
      await enqueue(2)
      await become(status)
      expect(await counted()).toContainEqual({ queue: 'light', jobs: 1 })
    },
  )
})
