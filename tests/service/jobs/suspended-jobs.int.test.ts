/** Tests how workers handle the jobs of a suspended organization. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { resumeOrganization, suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gated, openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('held_jobs'))
const owner = await opened(Promise.resolve(openOwner(fixture.env)))
// The table of the test gets the same write block for suspended organizations as all other tables.
await fixture.superuser.query(
  'create trigger refuse_while_held before insert on records execute function refuse_while_held()',
)

let id: OrganizationId
beforeEach(async () => {
  id = await fixture.newOrganizationId()
})
afterEach(() => fixture.stopWorkers())

/** The status of the organization's jobs that have not succeeded; refused attempts have ended with SUCCESS. */
async function waiting(organizationId: string): Promise<string[]> {
  const rows = await fixture.superuser.query<{ status: string }>(
    `select status from dbos.workflow_status where queue_partition_key = $1 and status <> 'SUCCESS'`,
    [organizationId],
  )
  return rows.map(({ status }) => status)
}

const polling = { interval: 50 }

const countOf = async (what: string, before: () => Promise<unknown> = async () => {}) => {
  await before()
  return (await fixture.records(what)).length
}

describe('a job of a suspended organization', () => {
  it('waits and runs when its organization is resumed; jobs of other organizations continue', async () => {
    const other = await fixture.newOrganizationId()
    for (let count = 0; count < 100; count++) {
      await enqueueJob(fixture.api.forOrganization(id), recording, { input: { note: 'suspended' } })
    }
    await suspendOrganization(owner, id)
    await fixture.startWorker()
    await expect.poll(() => waiting(id), polling).toEqual(Array(100).fill('DELAYED'))
    await enqueueJob(fixture.api.forOrganization(other), recording, { input: { note: 'free' } })
    await expect.poll(() => countOf('free'), polling).toBe(1)
    expect(await countOf('suspended')).toBe(0)
    await resumeOrganization(owner, id)
    await expect.poll(() => countOf('suspended', fixture.endDelays), polling).toBe(100)
  })

  it('runs again if it was running during the suspension, and its attempt does not count as failed', async () => {
    await enqueueJob(fixture.api.forOrganization(id), gated, { input: { note: 'cut' } })
    await fixture.startWorker()
    await expect.poll(() => countOf('cut started'), polling).toBe(1)
    await suspendOrganization(owner, id)
    await fixture.openGate('cut')
    await expect.poll(() => waiting(id), polling).toEqual(['DELAYED'])
    await resumeOrganization(owner, id)
    await expect.poll(() => countOf('cut done', fixture.endDelays), polling).toBe(1)
    await expect.poll(() => waiting(id), polling).toEqual([])
    expect(await countOf('cut started')).toBe(2)
  })
})
