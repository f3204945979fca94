/** Tests steps that run while their organization is suspended. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import {
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '@reelkeep/server/modules/suspension/suspension.ts'
import { type Caller, openOwner, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineFixture, soon, statusOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('held_pipelines'))
const owner = await opened(Promise.resolve(openOwner(withDatabase(stackEnv(), 'held_pipelines'))))

let caller: Caller
let id: OrganizationId
beforeEach(async () => {
  caller = await fixture.newOrganization()
  id = caller.organizationId as OrganizationId
})
afterEach(() => fixture.stopWorkers())

// Counts updates of steps, including refused updates: a sequence keeps its value when a transaction fails.
await fixture.superuser.query(`
  create sequence step_updates;
  create function count_step_update() returns trigger language plpgsql security definer as
    $$ begin perform nextval('public.step_updates'); return null; end $$;
  create trigger count_update before update on pipeline_steps execute function count_step_update()`)

/** Resolves when the running step has sent two more heartbeats. */
async function twoHeartbeats(): Promise<void> {
  const count = async () => {
    const [row] = await fixture.superuser.query<{ count: number }>('select last_value::int as count from step_updates')
    return row?.count ?? 0
  }
  const before = await count()
  await soon(count).toBeGreaterThan(before + 1)
}

const RELEASED = '"outcome":"released"'

describe('a running pipeline step', () => {
  it('continues while its organization is suspended, and publishes its result if the suspension ends first', async () => {
    const worker = await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await twoHeartbeats()
    await resumeOrganization(owner, id)
    await fixture.openGate(assetId)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 2', 'video-package 3'])
    expect(worker.log).not.toContain('failed to send the heartbeat')
  })

  it('does not fail if it ends during the suspension, and is repeated after the suspension', async () => {
    const worker = await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await fixture.openGate(assetId)
    await soon(() => worker.log).toContain(RELEASED)
    await resumeOrganization(owner, id)
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('Completed')
    expect(worker.log).not.toContain('job attempt failed')
    const published = await fixture.publications(assetId)
    expect(published.map((line) => line.split(' ')[0])).toEqual(['video-probe', 'video-encode', 'video-package'])
  })

  it('is aborted when its organization is migrated away', async () => {
    const worker = await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isGated: true })
    await fixture.waitForStep(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await markMigratedAway(owner, id)
    await soon(() => worker.log).toContain('"outcome":"lost"')
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1'])
  })
})
