/** Cancelling and retrying the processing of an asset. No worker runs here, so enqueued jobs stay enqueued. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { assets as contract } from '@reelkeep/contract'
import { type Caller, openOwner, openSession, root, Superuser, stackEnv, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { retryFailed } from './pipeline.ts'

const world = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const run = promisify(execFile)

let caller: Caller
beforeEach(async () => {
  caller = await world.newOrganization()
})

const uploaded = async (by = caller) => (await uploadAsset(by)).asset.id
const cancel = (id: string, by = caller) => by.post<contract.Asset>(`assets/${id}/cancel/`)
const retry = (id: string, by = caller) => by.post<contract.Asset>(`assets/${id}/retry/`)
const timeline = async (id: string) => (await caller.get<contract.Timeline>(`assets/${id}/timeline/`)).body

/** The jobs of an asset, in order. */
async function promises(id: string) {
  return superuser.query<{ name: string; status: string; priority: number }>(
    `select name, status, priority from dbos.workflow_status
     where workflow_uuid like '%/video-%/' || $1 || '%' order by created_at`,
    [id],
  )
}

async function stepOf(id: string) {
  const [row] = await superuser.query<{ state: string; run: number }>(
    'select state, run from pipeline_steps join pipelines using (organization_id, asset_id) where asset_id = $1',
    [id],
  )
  return row
}

describe('a completed upload', () => {
  it('enqueues processing once, even if completion is reported repeatedly', async () => {
    const session = await uploadAsset(caller)
    const uuid = session.upload_session.uuid
    await caller.post(`assets/upload-sessions/${uuid}/complete/`)
    expect(await promises(session.asset.id)).toMatchObject([{ name: 'video-probe', status: 'ENQUEUED' }])
    expect(await stepOf(session.asset.id)).toEqual({ state: 'waiting', run: 1 })
  })

  it('shows in the timeline what it is waiting for and until when', async () => {
    const { pending } = await timeline(await uploaded())
    expect(pending).toMatchObject({
      what: 'processing_started',
      detail: 'The file has been uploaded and is waiting to be probed.',
    })
    const days = (Date.parse(pending?.until ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThan(7.1)
  })
})

describe('POST assets/<id>/cancel/ and retry/: 200', () => {
  it('cancels processing that has not started, and records the cancellation once', async () => {
    const id = await uploaded()
    for (const _ of ['the first time', 'again']) {
      const { status, body } = await cancel(id)
      expect(status).toBe(200)
      expect(body.video).toMatchObject({ status: 'Cancelled', error: null })
    }
    expect(await stepOf(id)).toEqual({ state: 'stopped', run: 1 })
    const { entries, pending } = await timeline(id)
    expect(entries.map(({ what }) => what)).toEqual(['created', 'uploaded', 'cancelled'])
    expect(pending).toBeNull()
  })

  it('retries cancelled processing as a new run with a higher priority', async () => {
    const id = await uploaded()
    await cancel(id)
    const { status, body } = await retry(id)
    expect(status).toBe(200)
    expect(body.video.status).toBe('Queued')
    expect(await stepOf(id)).toEqual({ state: 'waiting', run: 2 })
    const [first, second] = await promises(id)
    expect(second?.priority).toBeLessThan(first?.priority ?? 0)
    expect((await timeline(id)).entries.at(-1)?.what).toBe('retried')
  })

  it('retries from the first step if no stopped step is left', async () => {
    const id = await uploaded()
    await cancel(id)
    await superuser.query('delete from pipeline_steps where asset_id = $1', [id])
    expect((await retry(id)).status).toBe(200)
    expect(await stepOf(id)).toMatchObject({ state: 'waiting' })
    expect(await promises(id)).toHaveLength(2)
    expect((await timeline(id)).pending?.until).not.toBeNull()
  })
})

describe('the operator', () => {
  const askToRetry = async () => {
    const admin = join(root, 'server/src/main/admin.ts')
    await run(process.execPath, [admin, 'retry-failed-assets', caller.organizationId], {
      env: stackEnv(),
    })
  }
  const fail = (id: string, code: string) =>
    superuser.query(
      `with stopped as (update pipeline_steps set state = 'stopped' where asset_id = $1)
       update assets set status = 'Error', error_code = $2, error_detail = 'It failed.' where id = $1`,
      [id, code],
    )

  it('can retry assets that failed for internal reasons, and no others', async () => {
    const [ours, theirs] = [await uploaded(), await uploaded()]
    await fail(ours, 'processing_failed')
    await fail(theirs, 'file_damaged')
    await askToRetry()
    const statusOf = async (id: string) => (await caller.get<contract.Asset>(`assets/${id}/`)).body.video.status
    expect(await statusOf(ours)).toBe('Queued')
    expect(await statusOf(theirs)).toBe('Error')
    expect(await stepOf(ours)).toEqual({ state: 'waiting', run: 2 })
    expect(await promises(ours)).toHaveLength(2)
  })

  it.each([
    ['deletes', `delete from assets where id = $1`],
    ['retries', `update assets set status = 'Queued', error_code = null, error_detail = null where id = $1`],
  ])('can retry the other failed assets if a concurrent request %s one of them', async (_, change) => {
    const [one, other] = [await uploaded(), await uploaded()]
    for (const id of [one, other]) await fail(id, 'processing_failed')
    await using owner = openOwner()
    await using concurrent = await Superuser.open()
    const [{ pid } = {}] = await concurrent.query<{ pid: number }>('select pg_backend_pid() as pid')
    await concurrent.query('begin')
    await concurrent.query('select from assets where id = $1 for update', [one])
    const retrying = retryFailed(owner.forOrganization(caller.organizationId as OrganizationId))
    const waiting = () => superuser.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])
    await expect.poll(waiting).toHaveLength(1)
    await concurrent.query(change, [one])
    await concurrent.query('commit')
    expect(await retrying).toBe(1)
    expect(await stepOf(other)).toEqual({ state: 'waiting', run: 2 })
  })
})

describe('POST assets/<id>/cancel/ and retry/: 409', () => {
  it('refuses to cancel before the file is uploaded and suggests cancelling the upload session', async () => {
    const { asset } = await openSession(caller)
    const { status, text } = await cancel(asset.id)
    expect(status).toBe(409)
    expect(text).toContain('Cancel the upload session')
  })

  it('refuses to retry an asset that is in progress or has no file', async () => {
    const waiting = await uploaded()
    const session = await openSession(caller)
    await caller.delete(`assets/upload-sessions/${session.upload_session.uuid}/`)
    for (const id of [waiting, session.asset.id]) {
      expect((await retry(id)).status).toBe(409)
    }
    expect(await stepOf(waiting)).toEqual({ state: 'waiting', run: 1 })
  })

  it('rejects one of two concurrent retries', async () => {
    const id = await uploaded()
    await cancel(id)
    const answers = await Promise.all([retry(id), retry(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await promises(id)).toHaveLength(2)
  })
})

describe('POST assets/<id>/cancel/ and retry/: 404', () => {
  it('is returned for an asset of another organization as for an unknown one', async () => {
    const id = await uploaded()
    const otherCaller = await world.newOrganization()
    const none = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
    for (const attempt of [cancel, retry]) {
      const [foreign, absent] = await Promise.all([attempt(id, otherCaller), attempt(none, otherCaller)])
      expect([foreign.status, absent.status]).toEqual([404, 404])
      expect(foreign.body).toMatchObject({ ...absent.body, request_id: expect.any(String) })
    }
    expect(await stepOf(id)).toEqual({ state: 'waiting', run: 1 })
  })
})

describe('POST assets/<id>/cancel/ and retry/: 403', () => {
  it('is returned for a token without the scope assets:write', async () => {
    const reader = await world.newOrganization('assets:read')
    const none = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
    for (const attempt of [cancel, retry]) expect((await attempt(none, reader)).status).toBe(403)
  })
})
