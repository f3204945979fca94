/** What workers do with the jobs of an organization that is held. */
import { holdOrganization, releaseOrganization } from '@reelkeep/server/capabilities/holds/holds.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { promiseJob } from '@reelkeep/server/platform/jobs/promise.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noting, openStage, slow } from './happenings.ts'

const stage = await opened(openStage('held_jobs'))
const owner = await opened(Promise.resolve(openOwner(stage.env)))
// What the jobs of these tests write is its organization's, like everything else.
await stage.superuser.query(
  'create trigger refuse_while_held before insert on happenings execute function refuse_while_held()',
)

let id: OrganizationId
beforeEach(async () => {
  id = await stage.newOrganizationId()
})
afterEach(() => stage.stopWorkers())

/** Those that wait, now or after a rest; the first that were taken up in vain are over. */
async function waiting(organizationId: string): Promise<string[]> {
  const rows = await stage.superuser.query<{ status: string }>(
    `select status from dbos.workflow_status where queue_partition_key = $1 and status <> 'SUCCESS'`,
    [organizationId],
  )
  return rows.map(({ status }) => status)
}

const patience = { timeout: 60_000, interval: 50 }

const countOf = async (what: string) => (await stage.happenings(what)).length

describe('a job of a held organization', () => {
  it('rests, and is done when its organization is released; others are done meanwhile', async () => {
    const other = await stage.newOrganizationId()
    for (let count = 0; count < 100; count++) {
      await promiseJob(stage.api.forOrganization(id), noting, { note: 'held' })
    }
    await holdOrganization(owner, id)
    await stage.startWorker()
    await expect.poll(() => waiting(id), patience).toEqual(Array(100).fill('DELAYED'))
    await promiseJob(stage.api.forOrganization(other), noting, { note: 'free' })
    await expect.poll(() => countOf('free'), patience).toBe(1)
    expect(await countOf('held')).toBe(0)
    await releaseOrganization(owner, id)
    await expect.poll(() => countOf('held'), patience).toBe(100)
  }, 300_000)

  it('that was under way has not failed: the same attempt is made again', async () => {
    await promiseJob(stage.api.forOrganization(id), slow, { note: 'cut', seconds: 5 })
    await stage.startWorker()
    await expect.poll(() => countOf('cut begun'), patience).toBe(1)
    await holdOrganization(owner, id)
    await expect.poll(() => waiting(id), patience).toEqual(['DELAYED'])
    await releaseOrganization(owner, id)
    await expect.poll(() => countOf('cut done'), patience).toBe(1)
    await expect.poll(() => waiting(id), patience).toEqual([])
    expect(await countOf('cut begun')).toBe(2)
  }, 300_000)
})
