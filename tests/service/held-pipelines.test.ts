/** What becomes of a step that runs while its organization is held. */
import {
  holdOrganization,
  markGone,
  releaseOrganization,
} from '@reelkeep/server/capabilities/holds/holds.ts'
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

const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000, interval: 50 })
const isAt = (assetId: string, step: string, state: string) =>
  soon(async () => (await stage.step(assetId, step))?.state).toBe(state)

const ENDED_BY_HOLD = '"outcome":"given_back"'

describe('a step that runs', () => {
  it('goes on while its organization is held, and counts if that has ended before it', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 12_000 })
    await isAt(assetId, 'encode', 'running')
    await holdOrganization(owner, id)
    // As long as two signs of life, which are refused.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    await releaseOrganization(owner, id)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
    expect(await stage.publications(assetId)).toEqual([
      'video-probe 1',
      'video-encode 2',
      'video-package 3',
    ])
    expect(worker.log).not.toContain('could not give a sign of life')
  })

  it('has not failed if it ends meanwhile: it is done again, once', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 5000 })
    await isAt(assetId, 'encode', 'running')
    await holdOrganization(owner, id)
    await soon(() => worker.log).toContain(ENDED_BY_HOLD)
    await releaseOrganization(owner, id)
    await soon(() => statusOf(caller, assetId)).toBe('Completed')
    expect(worker.log).not.toContain('an attempt at a job failed')
    const published = await stage.publications(assetId)
    expect(published.map((line) => line.split(' ')[0])).toEqual([
      'video-probe',
      'video-encode',
      'video-package',
    ])
  })

  it('is ended when its organization is gone', async () => {
    const worker = await stage.startWorker()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 50_000, outputCount: 1 })
    await isAt(assetId, 'encode', 'running')
    await holdOrganization(owner, id)
    await markGone(owner, id)
    await soon(() => worker.log).toContain('"outcome":"lost"')
    expect(await stage.publications(assetId)).toEqual(['video-probe 1'])
  })
})
