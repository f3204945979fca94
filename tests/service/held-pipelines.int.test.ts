/** A step that runs while its organization is suspended. */
import {
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '@reelkeep/server/capabilities/suspension/suspension.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Caller, openOwner, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineStage, statusOf } from './pipeline-stage.ts'

const stage = await opened(openPipelineStage('held_pipelines'))
const owner = await opened(Promise.resolve(openOwner(withDatabase(stackEnv(), 'held_pipelines'))))

let caller: Caller
let id: OrganizationId
beforeEach(async () => {
  caller = await stage.newOrganization()
  id = caller.organizationId as OrganizationId
})
afterEach(() => stage.stopWorkers())

const soon = <Value>(read: () => Value) => expect.poll(read, { interval: 50 })
const isAt = (assetId: string, step: string, state: string) =>
  soon(async () => (await stage.step(assetId, step))?.state).toBe(state)

// Counts updates of steps, also refused ones: a sequence keeps its value when a transaction fails.
await stage.superuser.query(`
  create sequence step_updates;
  create function count_step_update() returns trigger language plpgsql security definer as
    $$ begin perform nextval('public.step_updates'); return null; end $$;
  create trigger count_update before update on pipeline_steps execute function count_step_update()`)

/** Resolves when the running step has sent two more heartbeats. */
async function twoHeartbeats(): Promise<void> {
  const count = async () => {
    const [row] = await stage.superuser.query<{ count: number }>(
      'select last_value::int as count from step_updates',
    )
    return row?.count ?? 0
  }
  const before = await count()
  await soon(count).toBeGreaterThan(before + 1)
}

const ENDED_BY_HOLD = '"outcome":"given_back"'

describe('a running step', () => {
  it('continues while its organization is suspended, and counts if the suspension ends first', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { isGated: true })
    await isAt(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await twoHeartbeats()
    await resumeOrganization(owner, id)
    await stage.openGate(assetId)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
    expect(await stage.publications(assetId)).toEqual([
      'video-probe 1',
      'video-encode 2',
      'video-package 3',
    ])
    expect(worker.log).not.toContain('failed to send the heartbeat')
  })

  it('has not failed if it ends during the suspension: it is repeated once', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { isGated: true })
    await isAt(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await stage.openGate(assetId)
    await soon(() => worker.log).toContain(ENDED_BY_HOLD)
    await resumeOrganization(owner, id)
    const hurried = async () => {
      await stage.hurry()
      return statusOf(caller, assetId)
    }
    await soon(hurried).toBe('Completed')
    expect(worker.log).not.toContain('job attempt failed')
    const published = await stage.publications(assetId)
    expect(published.map((line) => line.split(' ')[0])).toEqual([
      'video-probe',
      'video-encode',
      'video-package',
    ])
  })

  it('is aborted when its organization is migrated away', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { isGated: true })
    await isAt(assetId, 'encode', 'running')
    await suspendOrganization(owner, id)
    await markMigratedAway(owner, id)
    await soon(() => worker.log).toContain('"outcome":"lost"')
    expect(await stage.publications(assetId)).toEqual(['video-probe 1'])
  })
})
