import { oldestWaits } from '@reelkeep/server/platform/jobs/engine/queue-backlog.store.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it } from 'vitest'
import { openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('job_waiting'))
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))
afterEach(() => fixture.superuser.query('delete from dbos.workflow_status'))

/** Enqueues a job and marks it as ready, as the engine does when its delay is over. */
async function enqueue({ secondsOld = 0, delayOverSeconds = null as number | null }) {
  await enqueueJob(database.forOrganization(await fixture.newOrganizationId()), recording, {
    note: '',
  })
  const millisecondsAgo = (parameter: string) =>
    `(extract(epoch from now()) * 1000)::bigint - ${parameter}::bigint * 1000`
  await fixture.superuser.query(
    `update dbos.workflow_status set created_at = ${millisecondsAgo('$1')},
       delay_until_epoch_ms = ${millisecondsAgo('$2')}
     where created_at > ${millisecondsAgo('5')} and delay_until_epoch_ms is null`,
    [secondsOld, delayOverSeconds],
  )
}
const waiting = async () => (await oldestWaits(database, ['light']))[0]?.seconds

describe('the wait of the oldest job', () => {
  it('is 0 without jobs', async () => {
    expect(await waiting()).toBe(0)
  })

  it('counts from the time it was enqueued', async () => {
    await enqueue({ secondsOld: 100 })
    expect(await waiting()).toBeCloseTo(100, -1)
  })

  it('counts from the end of its delay, if it had one', async () => {
    await enqueue({ secondsOld: 36_000, delayOverSeconds: 20 })
    expect(await waiting()).toBeCloseTo(20, -1)
  })

  it('is that of a younger job if the older one was delayed', async () => {
    await enqueue({ secondsOld: 36_000, delayOverSeconds: 20 })
    await enqueue({ secondsOld: 300 })
    expect(await waiting()).toBeCloseTo(300, -1)
  })
})
